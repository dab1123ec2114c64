/**
 * The codes of refused signatures and bodies, as named by the two dialects. Each dialect maps them
 * to statuses.
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

/** A request, a form or a body is refused and must have no effect. */
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
