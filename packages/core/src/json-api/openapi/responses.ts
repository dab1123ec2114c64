import { PREFIX } from '../header-prefix.js';
import { ref, type Schema } from './schemas.js';

/** A response with one status. Names of headers that may be missing end in `?`. */
export interface Answer {
  readonly status: number;
  readonly description: string;
  readonly headers?: readonly string[];
  /** The schema of the JSON body, or `bytes`; `undefined` for no body. */
  readonly body?: Schema | 'bytes';
}

const CRC32 = `${PREFIX}content-crc32?`;
const CRC32C = `${PREFIX}content-crc32c?`;

const done: Answer = { status: 200, description: 'Done.' };
const gone: Answer = { status: 204, description: 'Done.' };

const json = (schema: string, ...headers: readonly string[]): Answer => ({
  status: 200,
  description: 'The result.',
  headers,
  body: ref(schema),
});

const written: Answer = {
  status: 200,
  description: 'The data was stored.',
  headers: ['etag', 'content-md5', CRC32, CRC32C],
};

const ofObject = [
  ...['etag', 'last-modified', `${PREFIX}storage-class`, 'content-type?', 'content-encoding?'],
  ...['content-language?', 'content-disposition?', 'expires?', 'content-md5?', CRC32, CRC32C],
  ...[`${PREFIX}content-crc64ecma?`, `${PREFIX}object-type?`, `${PREFIX}next-append-offset?`],
];
const found: Answer = { status: 200, description: 'The object.', headers: ofObject };
const unchanged: Answer = {
  status: 304,
  description: 'The object has not changed.',
  headers: ['etag', 'last-modified'],
};
const preflight: Answer = {
  status: 200,
  description: 'The browser may send the request.',
  headers: [
    'access-control-allow-origin',
    'access-control-allow-methods',
    ...['access-control-allow-headers?', 'access-control-expose-headers?'],
    'access-control-max-age?',
  ],
};
const copied: Answer = {
  status: 200,
  description: 'The object was copied, or the copy failed after the response had begun.',
  body: { anyOf: [ref('Copied'), ref('LateError')] },
};
/** The file of a form. */
const posted: readonly Answer[] = [
  written,
  { ...written, status: 201, headers: [...ofWritten(), 'location'], body: ref('CompletedUpload') },
  { ...written, status: 204 },
  { ...written, status: 302, headers: [...ofWritten(), 'location'] },
];

function ofWritten(): readonly string[] {
  return written.headers ?? [];
}

/** The successful responses of each operation. The names of operations for forms end in `Form`. */
export const answers: Readonly<Record<string, readonly Answer[]>> = {
  AbortMultipartUpload: [gone],
  AppendObject: [{ ...written, headers: [...ofWritten(), `${PREFIX}next-append-offset`] }],
  CompleteMultipartUpload: [json('CompletedUpload', CRC32)],
  CopyObject: [copied],
  DeleteBucket: [gone],
  DeleteBucketCors: [gone],
  DeleteBucketLifecycle: [gone],
  DeleteMultipleObjects: [
    {
      status: 200,
      description: 'The objects that were not deleted; empty if all were deleted.',
      body: ref('DeletionFailures'),
    },
  ],
  DeleteObject: [gone],
  DeleteObjectAcl: [gone],
  GetBucketAcl: [json('BucketAcl')],
  GetBucketCors: [json('Cors')],
  GetBucketLifecycle: [json('Lifecycle')],
  GetBucketLocation: [json('Location')],
  GetObject: [
    { ...found, body: 'bytes' },
    {
      status: 206,
      description: 'The range of the object.',
      headers: [...ofObject, 'content-range'],
      body: 'bytes',
    },
    unchanged,
  ],
  GetObjectAcl: [json('ObjectAcl')],
  GetObjectMeta: [found, unchanged],
  HeadBucket: [done],
  InitiateMultipartUpload: [json('InitiatedUpload')],
  ListBuckets: [json('BucketList')],
  ListMultipartUploads: [json('UploadList')],
  ListObjects: [json('ObjectList')],
  ListParts: [json('PartList')],
  OptionsBucket: [preflight],
  OptionsObject: [preflight],
  PutBucket: [{ ...done, headers: ['location'] }],
  PutBucketAcl: [done],
  PutBucketCors: [done],
  PutBucketLifecycle: [done],
  PutObject: [written],
  PutObjectForm: posted,
  PutObjectAcl: [done],
  RenameObject: [done],
  UploadPart: [written],
  UploadPartCopy: [copied],
};

/** The JSON body that an operation takes. */
export const bodies: Readonly<Record<string, Schema>> = {
  CompleteMultipartUpload: ref('PartNames'),
  DeleteMultipleObjects: ref('ObjectNames'),
  PutBucket: { type: 'object', description: 'Ignored. Some clients of the interface send one.' },
  PutBucketAcl: ref('ObjectAcl'),
  PutBucketCors: ref('Cors'),
  PutBucketLifecycle: ref('Lifecycle'),
  PutObjectAcl: ref('ObjectAcl'),
};

/** What each operation does. */
export const summaries: Readonly<Record<string, string>> = {
  AbortMultipartUpload: 'Aborts a multipart upload',
  AppendObject: 'Creates an appendable object, or appends to one',
  CompleteMultipartUpload: 'Completes a multipart upload: joins its parts into an object',
  CopyObject: 'Copies an object',
  DeleteBucket: 'Deletes an empty bucket',
  DeleteBucketCors: 'Removes the CORS rules of a bucket',
  DeleteBucketLifecycle: 'Removes the lifecycle rules of a bucket',
  DeleteMultipleObjects: 'Deletes up to 1,000 objects',
  DeleteObject: 'Deletes an object',
  DeleteObjectAcl: 'Removes the access control list of an object',
  GetBucketAcl: 'Returns the access control list of a bucket',
  GetBucketCors: 'Returns the CORS rules of a bucket',
  GetBucketLifecycle: 'Returns the lifecycle rules of a bucket',
  GetBucketLocation: 'Returns the location of a bucket',
  GetObject: 'Reads an object or a range of it',
  GetObjectAcl: 'Returns the access control list of an object',
  GetObjectMeta: 'Returns the headers of an object',
  HeadBucket: 'Checks that a bucket exists and that the caller may read it',
  InitiateMultipartUpload: 'Starts a multipart upload',
  ListBuckets: 'Lists the buckets of the caller',
  ListMultipartUploads: 'Lists unfinished multipart uploads',
  ListObjects: 'Lists the objects of a bucket',
  ListParts: 'Lists the parts of an upload',
  OptionsBucket: 'Responds to the preflight request of a browser',
  OptionsObject: 'Responds to the preflight request of a browser',
  PutBucket: 'Creates a bucket',
  PutBucketAcl: 'Sets the access control list of a bucket',
  PutBucketCors: 'Sets the CORS rules of a bucket',
  PutBucketLifecycle: 'Sets the lifecycle rules of a bucket',
  PutObject: 'Stores an object',
  PutObjectForm: 'Stores an object from a form',
  PutObjectAcl: 'Sets the access control list of an object',
  RenameObject: 'Renames an object within its bucket',
  UploadPart: 'Uploads a part',
  UploadPartCopy: 'Copies an object, or a range of it, into a part',
};
