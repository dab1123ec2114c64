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

/** A form that uploads an object, up to its file. */
export interface SignedForm {
  /**
   * The fields before `file`, in order; `${filename}` is replaced already. Text as JavaScript has it,
   * decoded from UTF-8.
   */
  readonly fields: Iterable<readonly [name: string, value: string]>;
  /** The bucket of the URL. */
  readonly bucket: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** In bytes, both included. */
export interface ContentLengthRange {
  readonly min: number;
  readonly max: number;
}

export interface SignedUpload {
  /** Undefined: the form has no policy, so anybody may have sent it. */
  readonly principal: Principal | undefined;
  /** The bytes that the file may have. Undefined: any number. */
  readonly contentLengthRange: ContentLengthRange | undefined;
}

/** Why a form is refused. */
export type FormRefusal =
  | SignatureRefusal
  | 'AccessDenied'
  | 'InvalidArgument'
  | 'InvalidPolicyDocument';

/** Who has signed a form, and what for, or why it is refused. */
export type FormResult = SignedUpload | { readonly code: FormRefusal; readonly message: string };

/** A URL that is to be signed. */
export interface LinkTarget {
  /** Whose link it is. */
  readonly accessKey: string;
  readonly method: string;
  /** The URL of the mount as clients see it, such as `https://example.com/storage`. */
  readonly publicUrl: string;
  /** What follows it, percent-encoded. */
  readonly rawPath: string;
  /** Parameters as text. The empty value makes a flag such as `?uploads=`. */
  readonly query: Readonly<Record<string, string>>;
  /** Headers that are to be signed: whoever uses the link must send them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Seconds. */
  readonly expires: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Makes links that carry a signature. */
export interface LinkSigner {
  /** Seconds that a link may be valid. */
  readonly maxExpires: number;
  /** The URL with a signature. Rejects with a TypeError when nobody has the access key. */
  sign(target: LinkTarget): Promise<string>;
}

/**
 * A way to sign requests of the JSON dialect: given the prefix of the dialect's own headers, the
 * signatures that cover them. `v1Signatures()` of `@bucketware/signature` makes one.
 */
export type SignatureScheme = (headerPrefix: string) => Signatures;

/** The signatures of the JSON dialect. */
export interface Signatures {
  /** Undefined: the request has no signature. */
  verify(request: SignedRequest): Promise<SignatureResult | undefined>;
  /** Verifies the signature of a form, and holds the form to its policy. */
  verifyForm(form: SignedForm): Promise<FormResult>;
  readonly links: LinkSigner;
}
