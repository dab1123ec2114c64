import { systemCode } from './system-code.js';

/** Every error of the interface, with its HTTP status and default message. */
const CATALOGUE = {
  AccessControlListNotSupported: [
    400,
    'Access control lists have no effect in this bucket. Leave the list out.',
  ],
  AccessDenied: [403, 'You are not allowed to do this. Ask the owner of the bucket for access.'],
  BadDigest: [400, 'The body does not match the digest that was sent with it.'],
  BucketAlreadyExists: [409, 'A bucket with this name already exists. Choose another name.'],
  BucketNotEmpty: [409, 'The bucket still contains objects. Delete them first.'],
  EntityTooLarge: [400, 'The body is larger than this operation allows.'],
  EntityTooSmall: [400, 'A part is smaller than 100 KB. Only the last part may be that small.'],
  InappropriateJSON: [400, 'The JSON body lacks a required field, or a field has the wrong type.'],
  InsufficientStorage: [507, 'The storage is full. Try again when space has been freed.'],
  InternalError: [
    500,
    'An internal error occurred in the storage. A change may or may not have been made.',
  ],
  InvalidAccessKeyId: [403, 'There is no such access key.'],
  InvalidArgument: [400, 'An argument of the request is not valid.'],
  InvalidBucketName: [
    400,
    'A bucket name has 3 to 63 characters of a-z, 0-9 and -. It starts and ends with a letter or digit.',
  ],
  InvalidHTTPAuthHeader: [400, 'The signature of the request is malformed.'],
  InvalidBucketAclWithObjectOwnership: [
    400,
    'The access control list of the bucket has grants to others. Make the bucket private first.',
  ],
  InvalidHTTPRequest: [400, 'The HTTP request is malformed.'],
  InvalidObjectName: [400, 'An object key has 1 to 1023 bytes of UTF-8 without NUL.'],
  InvalidPart: [400, 'A listed part was never uploaded, or has a different ETag.'],
  InvalidPartOrder: [400, 'The part numbers are not strictly ascending.'],
  InvalidPolicyDocument: [400, 'The policy of the form is malformed.'],
  InvalidRange: [416, 'The range is outside the object.'],
  InvalidSessionToken: [400, 'The session token does not belong to the access key.'],
  InvalidTag: [400, 'A tag is not valid, or there are too many.'],
  InvalidURI: [400, 'The path of the request is not valid percent-encoded UTF-8.'],
  MalformedJSON: [400, 'The body is not valid JSON.'],
  MaxMessageLengthExceeded: [400, 'The request body is longer than this operation allows.'],
  MetadataTooLarge: [400, 'User metadata is limited to 2 KB in total.'],
  MethodNotAllowed: [405, 'This method is not allowed for this resource.'],
  MissingContentLength: [411, 'Send a Content-Length header or a chunked body.'],
  NoLifecycleConfiguration: [404, 'The bucket has no lifecycle rules.'],
  NoSuchBucket: [404, 'There is no bucket with this name.'],
  NoSuchCORSConfiguration: [404, 'The bucket has no CORS rules.'],
  NoSuchKey: [404, 'There is no object with this key in the bucket.'],
  NoSuchOwnershipControls: [404, 'The bucket has no ownership controls.'],
  NoSuchPublicAccessBlock: [404, 'The bucket has no public access block.'],
  NoSuchTagSet: [404, 'The bucket has no tags.'],
  NoSuchUpload: [404, 'There is no such upload. It was completed or aborted, or never existed.'],
  NotAllowCopy: [400, 'An appendable object cannot be copied into a part. Use CopyObject.'],
  NotImplemented: [501, 'The request uses a feature that this service does not support.'],
  NotModified: [304, 'The object has not changed.'],
  BucketObjectNumExceeded: [
    403,
    'The bucket has too many unfinished uploads. Complete or abort some of them first.',
  ],
  ObjectAclNotExists: [
    404,
    'The object has no access control list of its own; that of its bucket applies.',
  ],
  ObjectUnappendable: [
    403,
    'The object was not created by AppendObject, so nothing can be appended to it.',
  ],
  OffsetIncorrect: [409, 'The offset is not the size of the object.'],
  OnlyAllowModify: [403, 'You may replace objects in this bucket, but not add new ones.'],
  PreconditionFailed: [412, 'A condition of the request does not hold.'],
  ReadBodyError: [400, 'The body ended too early.'],
  RequestExpired: [400, 'The signature has expired. Sign the request again.'],
  RequestTimeTooSkewed: [
    403,
    'The request was signed more than 15 minutes in the future. Check the clock of the client.',
  ],
  RequestTimeout: [400, 'The body did not arrive completely in the allowed time. Send it again.'],
  ServiceUnavailable: [503, 'The storage is too busy with this resource. Try again shortly.'],
  SignatureDoesNotMatch: [
    403,
    'The signature does not match. Check the secret key, the method, the path and the headers.',
  ],
  SlowDown: [503, 'You are sending too much at once. Send less, and try again shortly.'],
  TooManyBuckets: [400, 'You already own the maximum number of buckets. Delete one first.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

/** The codes of the catalogue. */
export type ErrorCode = keyof typeof CATALOGUE;

/** Details of an error, for programs and for the responses of dialects. */
export interface ErrorDetails {
  /** The size of the object, in bytes, when a range or an offset does not fit it. */
  readonly size?: number | undefined;
  /** How many seconds to wait before trying again. */
  readonly retryAfter?: number | undefined;
  /** The ETag of the object that has not changed. */
  readonly etag?: string | undefined;
  /** When that object was last modified, in milliseconds since 1970. */
  readonly lastModified?: number | undefined;
  /** True if a condition failed because there is no object. */
  readonly absent?: boolean | undefined;
}

/** What a {@link StorageError} contains in addition to its code and message. */
export interface StorageErrorOptions {
  /** The cause of this error. It goes to `onError`, never to the client. */
  readonly cause?: unknown;
  /** Overrides the status of the code, for the codes that have two. */
  readonly status?: number;
  readonly details?: ErrorDetails;
}

/** The error that all actions throw. Clients see its code and message unchanged. */
export class StorageError extends Error {
  override readonly name: string = 'StorageError';
  readonly code: ErrorCode;
  /**
   * The HTTP status of the code. Koa and Express respond with it if your route does not catch the
   * error. A dialect may use another one.
   */
  readonly status: number;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message?: string, options: StorageErrorOptions = {}) {
    const [status, meaning] = CATALOGUE[code];
    super(message ?? meaning, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = options.status ?? status;
    this.details = options.details ?? NO_DETAILS;
  }
}

const NO_DETAILS: ErrorDetails = {};

const READ_ONLY = 'The storage accepts no changes at the moment. Try again later.';

const UNREACHABLE = 'The storage cannot be reached at the moment. Try again shortly.';

interface Meaning {
  readonly code: ErrorCode;
  readonly message?: string;
  readonly details?: ErrorDetails;
}

/** What the system's error codes mean for a client. */
const CODES: Readonly<Record<string, Meaning>> = {
  ENOSPC: { code: 'InsufficientStorage' },
  EDQUOT: { code: 'InsufficientStorage' },
  EROFS: { code: 'ServiceUnavailable', message: READ_ONLY },
  EIO: { code: 'InternalError' },
  EHOSTDOWN: { code: 'ServiceUnavailable', message: UNREACHABLE, details: { retryAfter: 5 } },
};

/** A driver may wrap the system's error in its own. */
function meaningOf(error: unknown): Meaning {
  for (let at = error; at instanceof Error; at = at.cause) {
    const meaning = CODES[systemCode(at) ?? ''];
    if (meaning) return meaning;
  }
  return { code: 'InternalError' };
}

/**
 * Converts any failure to a {@link StorageError}, with the original as its cause. Clients learn
 * about a full disk (507), a read-only disk and an unreachable store (503), because nothing was
 * changed, and they may try again later or elsewhere. Everything else outside the catalogue is an
 * InternalError, after which a change may or may not have been made.
 */
export function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const { code, message, details = NO_DETAILS } = meaningOf(error);
  return new StorageError(code, message, { cause: error, details });
}

/** The failures that are not the client's fault. */
const SERVER_FAULTS: ReadonlySet<ErrorCode> = new Set([
  'InternalError',
  'InsufficientStorage',
  'ServiceUnavailable',
]);

export const isServerFault = (code: ErrorCode): boolean => SERVER_FAULTS.has(code);

/** Why a request ends whose client has disconnected. Nobody receives it. */
export const clientGone = (): StorageError =>
  new StorageError('ReadBodyError', 'The client closed the connection.');

/** Too much is waiting for the same thing. `message` says what, and when to try again. */
export const tooBusy = (message: string): StorageError =>
  new StorageError('ServiceUnavailable', message, { details: { retryAfter: 5 } });
