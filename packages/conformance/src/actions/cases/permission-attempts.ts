import type { ErrorCode } from '@bucketware/core';
import type { DialectClient } from '../client.js';
import type { PartName } from '../pages.js';
import type { Capability, Traits } from '../traits.js';
import type { Permission, UploadName } from '../values.js';

/** What an attempt works on. Alice has stored `key` and `log`, and `new` does not exist. */
export interface Fixture {
  readonly bucket: string;
  /** An upload of alice with one part, for attempts that need an upload. */
  readonly upload: UploadName;
  readonly part: PartName;
}

/** An action, and the permissions that it requires. */
export interface Attempt {
  readonly name: string;
  readonly needs: readonly Permission[];
  /** Whether MODIFY is enough instead of WRITE. `only`: yes, although nothing is replaced. */
  readonly modify?: 'yes' | 'only';
  readonly capabilities?: readonly Capability[];
  /** The key of the upload that the action needs. */
  readonly uploads?: 'key' | 'new';
  /** Whether the action changes nothing. */
  readonly reads?: boolean;
  /** The outcome that shows that the action was allowed. Default: `done`. */
  readonly code?: (traits: Traits) => ErrorCode | 'done';
  run(client: DialectClient, fixture: Fixture): Promise<unknown>;
}

const BOTH: readonly Permission[] = ['READ', 'WRITE'];
const CORS = [{ allowedOrigins: ['*'], allowedMethods: ['GET'] }];
const RULES = [{ id: 'a', enabled: false, prefixes: [''], action: 'DeleteObject' }] as const;

const absent = ({ removesAbsentKeys }: Traits) => (removesAbsentKeys ? 'done' : 'NoSuchKey');

const onBuckets: readonly Attempt[] = [
  {
    ...{ name: 'HeadBucket', needs: ['READ'], reads: true },
    run: (client, { bucket }) => client.headBucket(bucket),
  },
  {
    ...{ name: 'GetBucketLocation', needs: ['READ'], reads: true },
    run: (client, { bucket }) => client.bucketLocation(bucket),
  },
  {
    ...{ name: 'ListObjects', needs: ['LIST'], reads: true },
    run: (client, { bucket }) => client.listObjects(bucket),
  },
  {
    ...{ name: 'ListMultipartUploads', needs: ['LIST'], reads: true },
    run: (client, { bucket }) => client.listUploads(bucket),
  },
  {
    ...{ name: 'DeleteBucket', needs: ['FULL_CONTROL'], code: () => 'BucketNotEmpty' },
    run: (client, { bucket }) => client.deleteBucket(bucket),
  },
  {
    ...{ name: 'PutBucketAcl', needs: ['FULL_CONTROL'] },
    run: (client, { bucket }) => client.putBucketAcl(bucket, []),
  },
  {
    ...{ name: 'GetBucketAcl', needs: ['FULL_CONTROL'], reads: true },
    run: (client, { bucket }) => client.getBucketAcl(bucket),
  },
  {
    ...{ name: 'PutBucketCors', needs: ['FULL_CONTROL'] },
    run: (client, { bucket }) => client.putCors(bucket, CORS),
  },
  {
    ...{
      name: 'GetBucketCors',
      needs: ['FULL_CONTROL'],
      reads: true,
      code: () => 'NoSuchCORSConfiguration',
    },
    run: (client, { bucket }) => client.getCors(bucket),
  },
  {
    ...{ name: 'DeleteBucketCors', needs: ['FULL_CONTROL'] },
    run: (client, { bucket }) => client.deleteCors(bucket),
  },
  {
    ...{ name: 'PutBucketLifecycle', needs: ['FULL_CONTROL'] },
    run: (client, { bucket }) => client.putLifecycle(bucket, RULES),
  },
  {
    ...{
      name: 'GetBucketLifecycle',
      needs: ['FULL_CONTROL'],
      reads: true,
      code: () => 'NoLifecycleConfiguration',
    },
    run: (client, { bucket }) => client.getLifecycle(bucket),
  },
  {
    ...{ name: 'DeleteBucketLifecycle', needs: ['FULL_CONTROL'] },
    run: (client, { bucket }) => client.deleteLifecycle(bucket),
  },
];

const onObjects: readonly Attempt[] = [
  {
    ...{ name: 'GetObject', needs: ['READ'], reads: true },
    run: (client, { bucket }) => client.getObject(bucket, 'key'),
  },
  {
    ...{ name: 'GetObject of nothing', needs: ['READ'], reads: true, code: () => 'NoSuchKey' },
    run: (client, { bucket }) => client.getObject(bucket, 'new'),
  },
  {
    ...{ name: 'GetObjectMeta', needs: ['READ'], reads: true },
    run: (client, { bucket }) => client.headObject(bucket, 'key'),
  },
  {
    ...{ name: 'GetObjectMeta of nothing', needs: ['READ'], reads: true, code: () => 'NoSuchKey' },
    run: (client, { bucket }) => client.headObject(bucket, 'new'),
  },
  {
    ...{ name: 'PutObject over another', needs: ['WRITE'], modify: 'yes' },
    run: (client, { bucket }) => client.putObject(bucket, 'key', 'other'),
  },
  {
    ...{ name: 'PutObject', needs: ['WRITE'], modify: 'only' },
    run: (client, { bucket }) => client.putObject(bucket, 'new', 'other'),
  },
  {
    ...{
      name: 'AppendObject over another',
      needs: ['WRITE'],
      modify: 'yes',
      capabilities: ['append'],
    },
    run: (client, { bucket }) => client.appendObject(bucket, 'key', 'other'),
  },
  {
    ...{ name: 'AppendObject', needs: ['WRITE'], modify: 'only', capabilities: ['append'] },
    run: (client, { bucket }) => client.appendObject(bucket, 'new', 'other'),
  },
  {
    ...{
      name: 'AppendObject at an offset',
      needs: ['WRITE'],
      modify: 'yes',
      capabilities: ['append'],
    },
    run: (client, { bucket }) => client.appendObject(bucket, 'log', 'more', 3),
  },
  {
    ...{ name: 'DeleteObject', needs: ['WRITE'] },
    run: (client, { bucket }) => client.deleteObject(bucket, 'key'),
  },
  {
    ...{ name: 'DeleteObject of nothing', needs: ['WRITE'], code: absent },
    run: (client, { bucket }) => client.deleteObject(bucket, 'new'),
  },
  {
    ...{ name: 'CopyObject', needs: BOTH, modify: 'only' },
    run: (client, { bucket }) => client.copyObject({ bucket, key: 'key' }, bucket, 'new'),
  },
  {
    ...{ name: 'CopyObject over another', needs: BOTH, modify: 'yes' },
    run: (client, { bucket }) => client.copyObject({ bucket, key: 'key' }, bucket, 'log'),
  },
  // A rename removes the old key and makes the data readable under the new one.
  {
    ...{ name: 'RenameObject', needs: BOTH, capabilities: ['rename'] },
    run: (client, { bucket }) => client.renameObject(bucket, 'key', 'new'),
  },
  {
    ...{
      name: 'GetObjectAcl',
      needs: ['FULL_CONTROL'],
      capabilities: ['absent-object-acl'],
      reads: true,
      code: () => 'ObjectAclNotExists',
    },
    run: (client, { bucket }) => client.getObjectAcl(bucket, 'key'),
  },
  {
    ...{ name: 'PutObjectAcl', needs: ['FULL_CONTROL'] },
    run: (client, { bucket }) => client.putObjectAcl(bucket, 'key', []),
  },
  {
    ...{ name: 'DeleteObjectAcl', needs: ['FULL_CONTROL'], capabilities: ['absent-object-acl'] },
    run: (client, { bucket }) => client.deleteObjectAcl(bucket, 'key'),
  },
];

const onUploads: readonly Attempt[] = [
  {
    ...{ name: 'InitiateMultipartUpload', needs: ['WRITE'], modify: 'yes' },
    run: (client, { bucket }) => client.initiateUpload(bucket, 'key'),
  },
  {
    ...{ name: 'InitiateMultipartUpload of a new key', needs: ['WRITE'], modify: 'only' },
    run: (client, { bucket }) => client.initiateUpload(bucket, 'new'),
  },
  {
    ...{ name: 'UploadPart', needs: ['WRITE'], modify: 'yes', uploads: 'key' },
    run: (client, { upload }) => client.uploadPart(upload, 1, 'other'),
  },
  {
    ...{ name: 'UploadPartCopy', needs: BOTH, modify: 'yes', uploads: 'key' },
    run: (client, { bucket, upload }) => client.copyPart({ bucket, key: 'key' }, upload, 1),
  },
  {
    ...{ name: 'ListParts', needs: ['READ'], uploads: 'key', reads: true },
    run: (client, { upload }) => client.listParts(upload),
  },
  {
    ...{ name: 'AbortMultipartUpload', needs: ['WRITE'], uploads: 'key' },
    run: (client, { upload }) => client.abortUpload(upload),
  },
  {
    ...{
      name: 'CompleteMultipartUpload over another',
      needs: ['WRITE'],
      modify: 'yes',
      uploads: 'key',
    },
    run: (client, { upload, part }) => client.completeUpload(upload, [part]),
  },
  {
    ...{ name: 'CompleteMultipartUpload', needs: ['WRITE'], modify: 'only', uploads: 'new' },
    run: (client, { upload, part }) => client.completeUpload(upload, [part]),
  },
];

/** Every action that a grant can allow. */
export const ATTEMPTS: readonly Attempt[] = [...onBuckets, ...onObjects, ...onUploads];
