/** Every error of the interface: its HTTP status and what it says when nothing better is known. */
const CATALOGUE = {
  AccessControlListNotSupported: [
    400,
    'Access control lists have no effect in this bucket. Leave the list out.',
  ],
  AccessDenied: [403, 'You are not allowed to do this. Ask the owner of the bucket for access.'],
  BadDigest: [400, 'The bytes that arrived do not match the digest that was sent with them.'],
  BucketAlreadyExists: [409, 'A bucket of this name exists already. Choose another name.'],
  BucketNotEmpty: [409, 'The bucket still holds objects. Delete them first.'],
  EntityTooLarge: [400, 'The body is larger than this operation allows.'],
  EntityTooSmall: [400, 'A part is smaller than 100 KB. Only the last part may be.'],
  InappropriateJSON: [400, 'The JSON body lacks a required field or has one of the wrong type.'],
  InsufficientStorage: [507, 'The storage is full. Try again when space has been freed.'],
  InternalError: [500, 'The storage met an internal error. Please try again.'],
  InvalidAccessKeyId: [403, 'There is no such access key.'],
  InvalidArgument: [400, 'An argument of the request is not valid.'],
  InvalidBucketName: [
    400,
    'A bucket name has 3 to 63 of a-z, 0-9 and -, and starts and ends with a letter or digit.',
  ],
  InvalidHTTPAuthHeader: [400, 'The signature of the request is malformed.'],
  InvalidBucketAclWithObjectOwnership: [
    400,
    'The list of the bucket grants something to others than its owner. Make it private first.',
  ],
  InvalidHTTPRequest: [400, 'The HTTP request is malformed.'],
  InvalidObjectName: [400, 'An object key has 1 to 1023 bytes of UTF-8 without NUL.'],
  InvalidPart: [400, 'A listed part was never uploaded, or its ETag is another one.'],
  InvalidPartOrder: [400, 'The part numbers are not strictly ascending.'],
  InvalidPolicyDocument: [400, 'The policy of the form is malformed.'],
  InvalidRange: [416, 'The range does not lie within the object.'],
  InvalidSessionToken: [400, 'The session token does not belong to the access key.'],
  InvalidTag: [400, 'A tag is not valid, or there are too many.'],
  InvalidURI: [400, 'The path of the request is not valid percent-encoded UTF-8.'],
  MalformedJSON: [400, 'The body is not valid JSON.'],
  MaxMessageLengthExceeded: [400, 'The request body is longer than this operation allows.'],
  MetadataTooLarge: [400, 'User metadata is limited to 2 KB in all.'],
  MethodNotAllowed: [405, 'This method is not valid for this resource.'],
  MissingContentLength: [411, 'Send a Content-Length header or a chunked body.'],
  NoLifecycleConfiguration: [404, 'The bucket has no lifecycle rules.'],
  NoSuchBucket: [404, 'There is no bucket of this name.'],
  NoSuchCORSConfiguration: [404, 'The bucket has no CORS rules.'],
  NoSuchKey: [404, 'There is no object of this name in the bucket.'],
  NoSuchOwnershipControls: [404, 'The bucket has no ownership controls.'],
  NoSuchPublicAccessBlock: [404, 'The bucket has no block of public access.'],
  NoSuchTagSet: [404, 'The bucket has no tags.'],
  NoSuchUpload: [404, 'There is no such upload. It was completed or aborted, or never existed.'],
  NotAllowCopy: [400, 'An appendable object cannot be copied into a part. Use CopyObject.'],
  NotImplemented: [501, 'The request asks for something that this service does not offer.'],
  NotModified: [304, 'The object has not changed.'],
  BucketObjectNumExceeded: [
    403,
    'The bucket has too many unfinished uploads. Complete or abort some of them first.',
  ],
  ObjectAclNotExists: [404, 'The object has no access control list; the list of its bucket holds.'],
  ObjectUnappendable: [403, 'The object was not made by AppendObject, so nothing can be appended.'],
  OffsetIncorrect: [409, 'The offset is not the size of the object.'],
  OnlyAllowModify: [403, 'You may replace objects of this bucket, but not add new ones.'],
  PreconditionFailed: [412, 'A condition of the request does not hold.'],
  ReadBodyError: [400, 'The body broke off before its end.'],
  RequestExpired: [400, 'The signature has expired. Sign the request anew.'],
  RequestTimeTooSkewed: [403, 'The clocks of client and server differ by more than 15 minutes.'],
  RequestTimeout: [400, 'The body did not arrive whole in the time allowed. Send it again.'],
  ServiceUnavailable: [503, 'The storage is too busy with this resource. Try again shortly.'],
  SignatureDoesNotMatch: [
    403,
    'The signature does not match. Check the secret key, the method, the path and the headers.',
  ],
  SlowDown: [503, 'You send more at a time than is allowed. Send less, and try again shortly.'],
  TooManyBuckets: [400, 'You own as many buckets as are allowed. Delete one first.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorCode = keyof typeof CATALOGUE;

/** What an error says besides its message, for a program or a dialect that answers with it. */
export interface ErrorDetails {
  /** Bytes of the object, where a range or an offset does not fit it. */
  readonly size?: number | undefined;
  /** Seconds after which trying again makes sense. */
  readonly retryAfter?: number | undefined;
  /** Of the object that has not changed. */
  readonly etag?: string | undefined;
  /** Of the same, in milliseconds since 1970. */
  readonly lastModified?: number | undefined;
  /** There is no object that the condition could hold for. */
  readonly absent?: boolean | undefined;
}

export interface StorageErrorOptions {
  /** What led to this error. Goes to the host's `onError`, never to the client. */
  readonly cause?: unknown;
  /** Where one code has two statuses. */
  readonly status?: number;
  readonly details?: ErrorDetails;
}

/** The one error that actions throw. The client sees code and message as they are. */
export class StorageError extends Error {
  override readonly name: string = 'StorageError';
  readonly code: ErrorCode;
  /**
   * The HTTP status that suits the code: Koa and Express answer with it when a route of the host lets
   * the error through. A dialect may answer with another one.
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

const READ_ONLY = 'The storage takes no changes at the moment. Try again later.';

const UNREACHABLE = 'The storage cannot be reached at the moment. Try again shortly.';

interface Meaning {
  readonly code: ErrorCode;
  readonly message?: string;
  readonly details?: ErrorDetails;
}

/** What the system's codes are to a client. */
const CODES: Readonly<Record<string, Meaning>> = {
  ENOSPC: { code: 'InsufficientStorage' },
  EDQUOT: { code: 'InsufficientStorage' },
  EROFS: { code: 'ServiceUnavailable', message: READ_ONLY },
  EHOSTDOWN: { code: 'ServiceUnavailable', message: UNREACHABLE, details: { retryAfter: 5 } },
};

/** A driver may wrap the system's error in one of its own. */
function meaningOf(error: unknown): Meaning {
  for (let at = error; at instanceof Error; at = at.cause) {
    const meaning = CODES[(at as NodeJS.ErrnoException).code ?? ''];
    if (meaning) return meaning;
  }
  return { code: 'InternalError' };
}

/**
 * Any failure as a {@link StorageError}, with the original as its cause: a full disk (507), one that
 * is read-only and a store that cannot be reached (503) are the client's to know, as it may try
 * elsewhere or later. Everything else that is not in the catalogue is an InternalError.
 */
export function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const { code, message, details = NO_DETAILS } = meaningOf(error);
  return new StorageError(code, message, { cause: error, details });
}

/** The failures that are not the client's. */
const SERVER_FAULTS: ReadonlySet<ErrorCode> = new Set([
  'InternalError',
  'InsufficientStorage',
  'ServiceUnavailable',
]);

export const isServerFault = (code: ErrorCode): boolean => SERVER_FAULTS.has(code);
