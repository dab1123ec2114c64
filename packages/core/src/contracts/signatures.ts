import type { Principal } from './principal.js';

/** A request as it arrived: nothing decoded, nothing normalised. */
export interface SignedRequest {
  readonly method: string;
  /** The path with the prefix of the mount. */
  readonly rawPath: string;
  /** The beginning of `rawPath` that is the place of the storage, such as `/storage`. Default: none. */
  readonly mount?: string | undefined;
  /** Without the `?`. Empty: no query. */
  readonly rawQuery: string;
  /** Names and values in turn, as Node's `rawHeaders`. */
  readonly rawHeaders: readonly string[];
  /**
   * What the client sent as `Host`, where a proxy that the host app trusts has replaced it. Default:
   * the header.
   */
  readonly host?: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Why a signature is refused. */
export type SignatureRefusal =
  | 'InvalidAccessKeyId'
  | 'InvalidHTTPAuthHeader'
  | 'InvalidSessionToken'
  | 'RequestExpired'
  | 'RequestTimeTooSkewed'
  | 'SignatureDoesNotMatch';

/** Who has signed a request, or why its signature is refused. */
export type SignatureResult =
  | { readonly principal: Principal }
  | { readonly code: SignatureRefusal; readonly message: string };

/** The signatures of the JSON dialect. `v1Signatures()` of `@bucketware/signature` makes them. */
export interface Signatures {
  /** Undefined: the request has no signature. */
  verify(request: SignedRequest): Promise<SignatureResult | undefined>;
}
