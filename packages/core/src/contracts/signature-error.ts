/**
 * The codes of rejected signatures and bodies, as the two dialects name them. Each dialect maps
 * them to statuses.
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

/** Thrown when a request, a form or a body is rejected. It must then have no effect. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';
  readonly code: SignatureErrorCode;
  /** Additional elements of an S3 error response, such as `Region`. */
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
