/**
 * The codes of refused signatures and bodies, in the words of the two dialects. Which status a
 * code has is the dialect's to say.
 */
export type SignatureErrorCode =
  | 'AccessDenied'
  | 'AuthorizationHeaderMalformed'
  | 'AuthorizationQueryParametersError'
  | 'IncompleteBody'
  | 'InvalidAccessKeyId'
  | 'InvalidArgument'
  | 'InvalidChunkSizeError'
  | 'InvalidHTTPAuthHeader'
  | 'InvalidPolicyDocument'
  | 'InvalidRequest'
  | 'InvalidToken'
  | 'MalformedTrailerError'
  | 'MissingContentLength'
  | 'RequestExpired'
  | 'RequestTimeTooSkewed'
  | 'SignatureDoesNotMatch'
  | 'XAmzContentSHA256Mismatch';

/** A request, a form or a body that is refused. Nothing of it may be carried out. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';
  readonly code: SignatureErrorCode;
  /** What an answer of S3 says beside code and message, such as `Region`. */
  readonly details: Readonly<Record<string, string>>;

  constructor(
    code: SignatureErrorCode,
    message: string,
    details: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.code = code;
    this.details = details;
  }
}
