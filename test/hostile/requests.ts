import type { ObjectStorage } from '@bucketware/core';
import { alice } from '../http/servers.js';

export interface OperationRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The resources that the request uses, as `<bucket>/<key>`. A source begins with `from `. */
  readonly touches: readonly string[];
}

const bucket = 'bucket';
const MD5_OF_PART = '6ea79e1b0ea1e0d4cc7b5b4b8e1cbbb4';
const PUBLIC = '{"accessControlList":[{"grantee":[{"id":"*"}],"permission":["READ"]}]}';
const RULE =
  '{"rule":[{"status":"enabled","resource":["bucket/"],"condition":{},"action":{"name":"DeleteObject"}}]}';
const CORS = '{"corsConfiguration":[{"allowedOrigins":["http://x"],"allowedMethods":["GET"]}]}';
const FORM = ['key', 'file']
  .map((name) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\na\r\n`)
  .join('')
  .concat('--x--');
const ASKING = { origin: 'http://x', 'access-control-request-method': 'GET' };

/** Requests of every operation on `bucket/a`, one for each way in which it can be written. */
export function requestsOf(
  uploadId: string,
): Readonly<Record<string, readonly OperationRequest[]>> {
  const at = (method: string, path: string, more: Partial<OperationRequest> = {}) => [
    { method, path, touches: [/bucket\/[^?]/.test(path) ? 'bucket/a' : 'bucket/'], ...more },
  ];
  const upload = `/${bucket}/a?uploadId=${uploadId}`;
  const copy = { 'x-svc-copy-source': '/bucket/b' };
  return {
    ListBuckets: at('GET', '/', { touches: ['/'] }),
    PutBucket: at('PUT', '/fresh', { touches: ['fresh/'] }),
    HeadBucket: at('HEAD', '/bucket'),
    DeleteBucket: at('DELETE', '/bucket'),
    GetBucketLocation: at('GET', '/bucket?location'),
    PutBucketAcl: at('PUT', '/bucket?acl', { body: PUBLIC }),
    GetBucketAcl: at('GET', '/bucket?acl'),
    PutBucketCors: at('PUT', '/bucket?cors', { body: CORS }),
    GetBucketCors: at('GET', '/bucket?cors'),
    DeleteBucketCors: at('DELETE', '/bucket?cors'),
    PutBucketLifecycle: at('PUT', '/bucket?lifecycle', { body: RULE }),
    GetBucketLifecycle: at('GET', '/bucket?lifecycle'),
    DeleteBucketLifecycle: at('DELETE', '/bucket?lifecycle'),
    OptionsBucket: at('OPTIONS', '/bucket', { headers: ASKING, touches: [] }),
    ListObjects: [
      ...at('GET', '/bucket'),
      ...at('GET', '/v1/bucket/?prefix=a&delimiter=%2F&marker=..%2Fvault%2F&maxKeys=1'),
    ],
    DeleteMultipleObjects: at('POST', '/bucket?delete', {
      body: '{"objects":[{"key":"a"},{"key":"../vault/secret"},{"key":"a"}]}',
      touches: ['bucket/../vault/secret', 'bucket/a'],
    }),
    PutObject: [
      ...at('PUT', '/bucket/a', { body: 'x' }),
      // Whether an ETag matches is revealed only to readers, which is another access check.
      ...at('PUT', '/bucket/%61', {
        body: 'x',
        headers: { 'if-match': '*' },
        touches: ['bucket/a', 'bucket/a'],
      }),
      ...at('PUT', '/bucket/..%2fvault', { body: 'x', touches: ['bucket/../vault'] }),
    ],
    PostObject: at('POST', '/bucket', {
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: FORM,
      touches: ['bucket/a'],
    }),
    GetObject: [
      ...at('GET', '/bucket/a'),
      ...at('GET', '/bucket/%61'),
      ...at('GET', '/v1/bucket/a'),
      ...at('GET', '/bucket/a', { headers: { range: 'bytes=0-0' } }),
      ...at('GET', '/bucket/a', { headers: { range: 'bytes=-1', 'if-range': '"x"' } }),
      ...at('GET', '/bucket/a', { headers: { 'if-none-match': '*' } }),
      ...at('GET', '/bucket/a', { headers: { 'if-match': '"x"' } }),
      ...at('GET', '/bucket/a?responseContentType=text%2Fhtml'),
      ...at('GET', '/bucket/../vault/secret', { touches: ['bucket/../vault/secret'] }),
    ],
    GetObjectMeta: [
      ...at('HEAD', '/bucket/a'),
      ...at('HEAD', '/bucket/a', { headers: { range: 'bytes=0-0', 'if-none-match': '*' } }),
    ],
    DeleteObject: at('DELETE', '/bucket/a'),
    PutObjectAcl: at('PUT', '/bucket/a?acl', { body: PUBLIC }),
    GetObjectAcl: at('GET', '/bucket/a?acl'),
    DeleteObjectAcl: at('DELETE', '/bucket/a?acl'),
    OptionsObject: at('OPTIONS', '/bucket/a', { headers: ASKING, touches: [] }),
    CopyObject: [
      ...at('PUT', '/bucket/a', { headers: copy, touches: ['bucket/a', 'from bucket/b'] }),
      ...at('PUT', '/bucket/a', {
        headers: { 'x-svc-copy-source': 'vault/secret' },
        touches: ['bucket/a', 'from vault/secret'],
      }),
      ...at('PUT', '/bucket/a', {
        headers: { 'x-svc-copy-source': '/bucket/a', 'x-svc-metadata-directive': 'replace' },
        touches: ['bucket/a', 'from bucket/a'],
      }),
    ],
    RenameObject: at('POST', '/bucket/a', {
      headers: { 'x-svc-rename-key': 'b' },
      touches: ['bucket/a', 'from bucket/b', 'from bucket/b'],
    }),
    AppendObject: at('POST', '/bucket/a?append', { body: 'x' }),
    InitiateMultipartUpload: at('POST', '/bucket/a?uploads'),
    UploadPart: at('PUT', `${upload}&partNumber=1`, { body: 'x' }),
    UploadPartCopy: [
      ...at('PUT', `${upload}&partNumber=1`, {
        headers: copy,
        touches: ['bucket/a', 'from bucket/b'],
      }),
      ...at('PUT', `${upload}&partNumber=1`, {
        headers: { 'x-svc-copy-source': '/vault/secret', 'x-svc-copy-source-range': 'bytes=0-0' },
        touches: ['bucket/a', 'from vault/secret'],
      }),
    ],
    ListParts: at('GET', upload),
    ListMultipartUploads: [
      ...at('GET', '/bucket?uploads'),
      ...at('GET', '/bucket?uploads&prefix=a&keyMarker=..%2Fvault&uploadIdMarker=x'),
    ],
    CompleteMultipartUpload: at('POST', upload, {
      body: `{"parts":[{"partNumber":1,"eTag":"${MD5_OF_PART}"}]}`,
    }),
    AbortMultipartUpload: at('DELETE', upload),
  };
}

/** Creates two objects and an upload for the requests. */
export async function prepare(storage: ObjectStorage): Promise<string> {
  const asAlice = storage.as(alice);
  for (const key of ['a', 'b']) await asAlice.putObject({ bucket, key, body: `bytes of ${key}` });
  return (await asAlice.initiateMultipartUpload({ bucket, key: 'a' })).uploadId;
}
