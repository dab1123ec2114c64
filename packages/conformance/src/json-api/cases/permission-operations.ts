import type { OutgoingHttpHeaders } from 'node:http';
import type { StorageClient } from '../wire/client.js';
import { initiate, type Listed, part } from '../wire/multipart.js';

export interface GuardedRequest {
  readonly method: string;
  /** Behind the bucket's path. */
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

/** One operation, and what a caller needs for it. */
export interface GuardedOperation {
  readonly name: string;
  readonly needs: readonly string[];
  /** Whether MODIFY does in the place of WRITE: `only` means that there is nothing to modify. */
  readonly modify?: 'yes' | 'only';
  /** The status that tells that the caller was let in. */
  readonly status: number;
  /** Alice has stored `key` and an appendable `log`, and there is no `new`. */
  request(storage: StorageClient, bucket: string): GuardedRequest | Promise<GuardedRequest>;
}

type Row = Omit<GuardedOperation, 'request' | 'needs'> & GuardedRequest & { needs: string };

const simple = ({ name, needs, modify, status, ...request }: Row): GuardedOperation => ({
  name,
  needs: needs.split(' and '),
  ...(modify && { modify }),
  status,
  request: () => request,
});

const [READ, LIST, WRITE, ALL] = ['READ', 'LIST', 'WRITE', 'FULL_CONTROL'] as const;
const BOTH = 'READ and WRITE';
const from = (bucket: string) => ({ 'x-svc-copy-source': `/${bucket}/key` });
const settings = {
  acl: '{"accessControlList":[]}',
  cors: '{"corsConfiguration":[{"allowedOrigins":["*"],"allowedMethods":["GET"]}]}',
  lifecycle: (bucket: string) =>
    `{"rule":[{"id":"a","status":"disabled","resource":["${bucket}/"],"condition":{},"action":{"name":"DeleteObject"}}]}`,
};

const ROWS: readonly Row[] = [
  { name: 'HeadBucket', needs: READ, status: 200, method: 'HEAD', path: '' },
  { name: 'GetBucketLocation', needs: READ, status: 200, method: 'GET', path: '?location' },
  { name: 'ListObjects', needs: LIST, status: 200, method: 'GET', path: '' },
  { name: 'ListMultipartUploads', needs: LIST, status: 200, method: 'GET', path: '?uploads' },
  { name: 'DeleteBucket', needs: ALL, status: 409, method: 'DELETE', path: '' },
  { name: 'GetObject', needs: READ, status: 200, method: 'GET', path: '/key' },
  { name: 'GetObject of nothing', needs: READ, status: 404, method: 'GET', path: '/new' },
  { name: 'GetObjectMeta', needs: READ, status: 200, method: 'HEAD', path: '/key' },
  { name: 'GetObjectMeta of nothing', needs: READ, status: 404, method: 'HEAD', path: '/new' },
  {
    ...{ name: 'PutObject over another', needs: WRITE, modify: 'yes', status: 200 },
    ...{ method: 'PUT', path: '/key', body: 'other' },
  },
  {
    ...{ name: 'PutObject', needs: WRITE, modify: 'only', status: 200 },
    ...{ method: 'PUT', path: '/new', body: 'other' },
  },
  {
    ...{ name: 'AppendObject over another', needs: WRITE, modify: 'yes', status: 200 },
    ...{ method: 'POST', path: '/key?append', body: 'other' },
  },
  {
    ...{ name: 'AppendObject', needs: WRITE, modify: 'only', status: 200 },
    ...{ method: 'POST', path: '/new?append', body: 'other' },
  },
  {
    ...{ name: 'AppendObject at an offset', needs: WRITE, modify: 'yes', status: 200 },
    ...{ method: 'POST', path: '/log?append&offset=3', body: 'more' },
  },
  { name: 'DeleteObject', needs: WRITE, status: 204, method: 'DELETE', path: '/key' },
  { name: 'DeleteObject of nothing', needs: WRITE, status: 404, method: 'DELETE', path: '/new' },
  {
    ...{ name: 'InitiateMultipartUpload', needs: WRITE, modify: 'yes', status: 200 },
    ...{ method: 'POST', path: '/key?uploads' },
  },
  {
    ...{ name: 'InitiateMultipartUpload of a new key', needs: WRITE, modify: 'only', status: 200 },
    ...{ method: 'POST', path: '/new?uploads' },
  },
  // A rename takes the old name away and shows the bytes under the new one.
  {
    ...{ name: 'RenameObject', needs: BOTH, status: 200, method: 'POST', path: '/new' },
    headers: { 'x-svc-rename-key': 'key' },
  },
  {
    name: 'PutBucketAcl',
    needs: ALL,
    status: 200,
    method: 'PUT',
    path: '?acl',
    body: settings.acl,
  },
  { name: 'GetBucketAcl', needs: ALL, status: 200, method: 'GET', path: '?acl' },
  {
    ...{ name: 'PutBucketCors', needs: ALL, status: 200, method: 'PUT', path: '?cors' },
    body: settings.cors,
  },
  { name: 'GetBucketCors', needs: ALL, status: 404, method: 'GET', path: '?cors' },
  { name: 'DeleteBucketCors', needs: ALL, status: 204, method: 'DELETE', path: '?cors' },
  { name: 'GetBucketLifecycle', needs: ALL, status: 404, method: 'GET', path: '?lifecycle' },
  { name: 'DeleteBucketLifecycle', needs: ALL, status: 204, method: 'DELETE', path: '?lifecycle' },
  { name: 'GetObjectAcl', needs: ALL, status: 404, method: 'GET', path: '/key?acl' },
  {
    ...{ name: 'PutObjectAcl', needs: ALL, status: 200, method: 'PUT', path: '/key?acl' },
    body: settings.acl,
  },
  { name: 'DeleteObjectAcl', needs: ALL, status: 204, method: 'DELETE', path: '/key?acl' },
];

type Numbered = (uploadId: string, listed: Listed) => GuardedRequest;

/** An operation on an upload of alice that has one part. */
const onUpload = (
  name: string,
  about: Omit<GuardedOperation, 'name' | 'request' | 'needs'> & { needs: string; key: string },
  request: Numbered,
): GuardedOperation => ({
  name,
  needs: about.needs.split(' and '),
  ...(about.modify && { modify: about.modify }),
  status: about.status,
  async request(storage, bucket) {
    const path = `/${bucket}/${about.key}`;
    const uploadId = await initiate(storage, path);
    const listed = await part(storage, path, uploadId, 1, 'other');
    const { headers, ...rest } = request(uploadId, listed);
    const copies = headers === undefined ? {} : { headers: from(bucket) };
    return { ...rest, path: `/${about.key}${rest.path}`, ...copies };
  },
});

const complete: Numbered = (uploadId, listed) => ({
  method: 'POST',
  path: `?uploadId=${uploadId}`,
  body: JSON.stringify({ parts: [listed] }),
});
const partOf = (uploadId: string): string => `?partNumber=1&uploadId=${uploadId}`;

const UPLOADS: readonly GuardedOperation[] = [
  onUpload('UploadPart', { key: 'key', needs: WRITE, modify: 'yes', status: 200 }, (uploadId) => ({
    ...{ method: 'PUT', path: partOf(uploadId), body: 'other' },
  })),
  onUpload('UploadPartCopy', { key: 'key', needs: BOTH, modify: 'yes', status: 200 }, (id) => ({
    ...{ method: 'PUT', path: partOf(id), headers: {} },
  })),
  onUpload('ListParts', { key: 'key', needs: READ, status: 200 }, (uploadId) => ({
    ...{ method: 'GET', path: `?uploadId=${uploadId}` },
  })),
  onUpload('AbortMultipartUpload', { key: 'key', needs: WRITE, status: 204 }, (id) => ({
    ...{ method: 'DELETE', path: `?uploadId=${id}` },
  })),
  onUpload(
    'CompleteMultipartUpload over another',
    { key: 'key', needs: WRITE, modify: 'yes', status: 200 },
    complete,
  ),
  onUpload(
    'CompleteMultipartUpload',
    { key: 'new', needs: WRITE, modify: 'only', status: 200 },
    complete,
  ),
];

const copies = (name: string, key: string, modify: 'yes' | 'only'): GuardedOperation => ({
  ...{ name, needs: [READ, WRITE], modify, status: 200 },
  request: (_, bucket) => ({ method: 'PUT', path: `/${key}`, headers: from(bucket) }),
});

export const GUARDED: readonly GuardedOperation[] = [
  ...ROWS.map(simple),
  ...UPLOADS,
  copies('CopyObject', 'new', 'only'),
  copies('CopyObject over another', 'log', 'yes'),
  {
    ...{ name: 'PutBucketLifecycle', needs: [ALL], status: 200 },
    request: (_, bucket) => {
      return { method: 'PUT', path: '?lifecycle', body: settings.lifecycle(bucket) };
    },
  },
];
