import type { Principal } from './principal.js';

/** A request as it arrived: nothing decoded, nothing normalised. */
export interface SignedRequest {
  readonly method: string;
  /** The path, including the mount's prefix. */
  readonly rawPath: string;
  /**
   * The path where the storage is mounted, such as `/storage`: the beginning of `rawPath`. Default:
   * none.
   */
  readonly mount?: string | undefined;
  /** The query without the `?`; empty if there is none. */
  readonly rawQuery: string;
  /** Names and values alternate, as in Node's `rawHeaders`. */
  readonly rawHeaders: readonly string[];
  /** The client's original `Host` if a trusted proxy has replaced it. Default: the header. */
  readonly host?: string | undefined;
  /** The current time, in milliseconds since 1970. */
  readonly now: number;
}

/** Why a signature is rejected. */
export type SignatureRefusal =
  | 'InvalidAccessKeyId'
  | 'InvalidHTTPAuthHeader'
  | 'InvalidSessionToken'
  | 'RequestExpired'
  | 'RequestTimeTooSkewed'
  | 'SignatureDoesNotMatch';

/** Who signed a request, or why the signature is rejected. */
export type SignatureResult =
  | { readonly principal: Principal }
  | { readonly code: SignatureRefusal; readonly message: string };

/** A form that uploads an object, up to its file. */
export interface SignedForm {
  /**
   * The fields before `file`, in order, as text decoded from UTF-8. `${filename}` is already
   * replaced.
   */
  readonly fields: Iterable<readonly [name: string, value: string]>;
  /** The bucket in the URL. */
  readonly bucket: string;
  /** The current time, in milliseconds since 1970. */
  readonly now: number;
}

/** A range of sizes in bytes, including both bounds. */
export interface ContentLengthRange {
  readonly min: number;
  readonly max: number;
}

/** A form whose policy allows the upload. */
export interface SignedUpload {
  /** `undefined` if the form has no policy, so that anyone may have sent it. */
  readonly principal: Principal | undefined;
  /** The allowed size of the file. `undefined` allows any. */
  readonly contentLengthRange: ContentLengthRange | undefined;
}

/** Why a form is rejected. */
export type FormRefusal =
  | SignatureRefusal
  | 'AccessDenied'
  | 'InvalidArgument'
  | 'InvalidPolicyDocument';

/** Who signed a form, and its limits, or why it is rejected. */
export type FormResult = SignedUpload | { readonly code: FormRefusal; readonly message: string };

/** A URL to sign. */
export interface LinkTarget {
  /** The access key to sign with. */
  readonly accessKey: string;
  readonly method: string;
  /** The URL of the mount as clients see it, such as `https://example.com/storage`. */
  readonly publicUrl: string;
  /** The path after `publicUrl`, percent-encoded. */
  readonly rawPath: string;
  /** Query parameters. An empty value makes a flag such as `?uploads=`. */
  readonly query: Readonly<Record<string, string>>;
  /** Headers to sign: whoever uses the link must send them unchanged. */
  readonly headers: Readonly<Record<string, string>>;
  /** How long the link is valid, in seconds. */
  readonly expires: number;
  /** The current time, in milliseconds since 1970. */
  readonly now: number;
}

/** Creates signed links. */
export interface LinkSigner {
  /** The longest time that a link may be valid, in seconds. */
  readonly maxExpires: number;
  /** Resolves to the signed URL. Rejects with a TypeError when the access key is unknown. */
  sign(target: LinkTarget): Promise<string>;
}

/**
 * Creates the signatures of a JSON dialect, given the prefix of the dialect's own headers, which
 * the signatures cover. `v1Signatures()` of `@bucketware/signature` returns one.
 */
export type SignatureScheme = (headerPrefix: string) => Signatures;

/** The signatures of the JSON dialect. */
export interface Signatures {
  /** Resolves to `undefined` if the request has no signature. */
  verify(request: SignedRequest): Promise<SignatureResult | undefined>;
  /** Verifies the signature of a form and checks the form against its policy. */
  verifyForm(form: SignedForm): Promise<FormResult>;
  /** Signs the links that `presign()` creates. */
  readonly links: LinkSigner;
}
