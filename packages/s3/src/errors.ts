import { type ErrorCode, StorageError } from '@bucketware/core/dialect';
import { SignatureError, type SignatureErrorCode } from '@bucketware/signature';
import { MalformedXmlError } from './xml/malformed.js';

type Named = readonly [code: string, status: number];

/** The names and statuses in S3 of the storage's errors. */
const CODES: Readonly<Record<ErrorCode, Named>> = {
  AccessControlListNotSupported: ['AccessControlListNotSupported', 400],
  AccessDenied: ['AccessDenied', 403],
  BadDigest: ['BadDigest', 400],
  BucketAlreadyExists: ['BucketAlreadyExists', 409],
  BucketNotEmpty: ['BucketNotEmpty', 409],
  BucketObjectNumExceeded: ['TooManyUploads', 403],
  EntityTooLarge: ['EntityTooLarge', 400],
  EntityTooSmall: ['EntityTooSmall', 400],
  InappropriateJSON: ['MalformedXML', 400],
  InsufficientStorage: ['InsufficientStorage', 507],
  InternalError: ['InternalError', 500],
  InvalidAccessKeyId: ['InvalidAccessKeyId', 403],
  InvalidArgument: ['InvalidArgument', 400],
  InvalidBucketName: ['InvalidBucketName', 400],
  InvalidHTTPAuthHeader: ['AuthorizationHeaderMalformed', 400],
  InvalidBucketAclWithObjectOwnership: ['InvalidBucketAclWithObjectOwnership', 400],
  InvalidHTTPRequest: ['InvalidRequest', 400],
  InvalidObjectName: ['KeyTooLongError', 400],
  InvalidPart: ['InvalidPart', 400],
  InvalidPartOrder: ['InvalidPartOrder', 400],
  InvalidPolicyDocument: ['InvalidPolicyDocument', 400],
  InvalidRange: ['InvalidRange', 416],
  InvalidSessionToken: ['InvalidToken', 400],
  InvalidTag: ['InvalidTag', 400],
  InvalidURI: ['InvalidURI', 400],
  MalformedJSON: ['MalformedXML', 400],
  MaxMessageLengthExceeded: ['MaxMessageLengthExceeded', 400],
  MetadataTooLarge: ['MetadataTooLarge', 400],
  MethodNotAllowed: ['MethodNotAllowed', 405],
  MissingContentLength: ['MissingContentLength', 411],
  NoLifecycleConfiguration: ['NoSuchLifecycleConfiguration', 404],
  NoSuchBucket: ['NoSuchBucket', 404],
  NoSuchCORSConfiguration: ['NoSuchCORSConfiguration', 404],
  NoSuchKey: ['NoSuchKey', 404],
  NoSuchOwnershipControls: ['OwnershipControlsNotFoundError', 404],
  NoSuchPublicAccessBlock: ['NoSuchPublicAccessBlockConfiguration', 404],
  NoSuchTagSet: ['NoSuchTagSet', 404],
  NoSuchUpload: ['NoSuchUpload', 404],
  NotAllowCopy: ['InvalidObjectState', 403],
  NotImplemented: ['NotImplemented', 501],
  NotModified: ['NotModified', 304],
  ObjectAclNotExists: ['NoSuchKey', 404],
  ObjectUnappendable: ['InvalidObjectState', 403],
  OffsetIncorrect: ['InvalidWriteOffset', 400],
  OnlyAllowModify: ['AccessDenied', 403],
  PreconditionFailed: ['PreconditionFailed', 412],
  ReadBodyError: ['IncompleteBody', 400],
  RequestExpired: ['AccessDenied', 403],
  RequestTimeTooSkewed: ['RequestTimeTooSkewed', 403],
  RequestTimeout: ['RequestTimeout', 400],
  ServiceUnavailable: ['ServiceUnavailable', 503],
  SignatureDoesNotMatch: ['SignatureDoesNotMatch', 403],
  SlowDown: ['SlowDown', 503],
  TooManyBuckets: ['TooManyBuckets', 400],
};

/** The code and status of an error in S3. */
export const namedInS3 = (error: StorageError): Named =>
  error instanceof S3Error ? [error.s3Code, error.status] : CODES[error.code];

/** The nearest code of the storage's catalogue for a status. */
const NEAREST: Readonly<Record<number, ErrorCode>> = {
  403: 'AccessDenied',
  404: 'NoSuchKey',
  409: 'BucketAlreadyExists',
  411: 'MissingContentLength',
  501: 'NotImplemented',
};

/** An error that only S3 has. */
export class S3Error extends StorageError {
  readonly s3Code: string;
  /** Additional elements of the response, such as `Region`. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(
    s3Code: string,
    message: string,
    {
      status = 400,
      fields = {},
    }: { status?: number; fields?: Readonly<Record<string, string>> } = {},
  ) {
    super(NEAREST[status] ?? 'InvalidArgument', message, { status });
    this.s3Code = s3Code;
    this.fields = fields;
  }
}

/** The statuses of signature errors, where they differ from 400. */
const SIGNATURE_STATUS: Readonly<Partial<Record<SignatureErrorCode, number>>> = {
  AccessDenied: 403,
  InvalidAccessKeyId: 403,
  InvalidChunkSizeError: 403,
  MissingContentLength: 411,
  RequestExpired: 403,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
};

/** Converts an error about a signature or a body to an error of S3. Returns others unchanged. */
export function asS3Error(error: unknown): unknown {
  if (error instanceof SignatureError) {
    const { code, message, details: fields } = error;
    return new S3Error(code, message, { status: SIGNATURE_STATUS[code] ?? 400, fields });
  }
  return error instanceof MalformedXmlError ? malformed(error.message) : error;
}

export const malformed = (message: string) => new S3Error('MalformedXML', message);
export const invalidRequest = (message: string) => new S3Error('InvalidRequest', message);
export const invalid = (message: string) => new StorageError('InvalidArgument', message);
export const unsupported = (message: string) => new StorageError('NotImplemented', message);
export const malformedForm = (message: string) => new S3Error('MalformedPOSTRequest', message);
