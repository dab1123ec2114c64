import {
  createObjectStorage,
  memoryBlobs,
  memoryMetadata,
  type ObjectStorage,
} from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { call } from '../http/raw.js';
import { bucketIdOf } from '../http/record-keys.js';
import { alice, bob, carriers, listen } from '../http/servers.js';
import { operations } from './core.js';
import { interruptible, recordsOf } from './interruptible.js';
import { type OperationRequest, prepare, requestsOf } from './requests.js';

/*
 * A request may change and reveal only what it was admitted to. Each request is sent repeatedly.
 * Before each of its calls to the records in turn, the bucket gets a new owner, or the caller loses
 * the permission. From then on, the request must not change or reveal anything.
 */

const SECRET = 'written after the request had been admitted';
const FULL = [{ grantee: [{ id: bob.userId }], permission: ['FULL_CONTROL'] }] as const;
const PUBLIC = [{ grantee: [{ id: '*' }], permission: ['FULL_CONTROL'] }] as const;
const bucket = 'bucket';

interface Scene {
  readonly storage: ObjectStorage;
  readonly origin: string;
  readonly uploadId: string;
  /**
   * Runs `change` before call number `at` to the records. The result says whether there was such a
   * call.
   */
  interrupt(at: number, change: () => Promise<void>): () => boolean;
  /** The records of the bucket with that name, as text. */
  records(): Promise<string>;
}

async function scene(t: ExecutionContext): Promise<Scene> {
  const { metadata, interrupt, inner } = interruptible(memoryMetadata());
  const storage = await createObjectStorage({
    metadata,
    blobs: memoryBlobs(),
    sweepEvery: false,
    reservedBlobs: 0, // So that only the request itself calls the records.
    uniqueUserIds: true,
  });
  const { origin, close } = await listen(carriers.node(storage, {}));
  t.teardown(close);
  await storage.as(alice).putBucket({ bucket });
  await storage.as(bob).putBucket({ bucket: 'vault' });
  await storage.as(bob).putObject({ bucket: 'vault', key: 'secret', body: 'of bob' });
  const uploadId = await prepare(storage);
  await storage.uploadPart({ bucket, key: 'a', uploadId, partNumber: 1, body: 'x' });
  for (const setting of ['putBucketCors', 'putBucketLifecycle'] as const)
    await set[setting](storage);
  const records = async () => recordsOf(inner, await bucketIdOf(inner, bucket));
  return { storage, origin, uploadId, interrupt, records };
}

const set = {
  putBucketCors: (storage: ObjectStorage) =>
    storage.putBucketCors({
      bucket,
      corsConfiguration: [{ allowedOrigins: ['http://x'], allowedMethods: ['GET'] }],
    }),
  putBucketLifecycle: (storage: ObjectStorage) =>
    storage.putBucketLifecycle({
      bucket,
      rule: [{ status: 'enabled', resource: ['bucket/'], action: 'DeleteObject' }],
    }),
};

/**
 * Deletes alice's bucket. Bob creates one with the same name, in which everybody may do everything.
 */
async function replace({ storage }: Scene): Promise<void> {
  for (const { key } of (await storage.listObjects({ bucket })).contents) {
    await storage.deleteObject({ bucket, key }).catch((error: { code?: string }) => {
      // An interrupted batch may just have deleted another key.
      if (error.code !== 'NoSuchKey') throw error;
    });
  }
  await storage.deleteBucket({ bucket });
  await storage.as(bob).putBucket({ bucket });
  await storage.putBucketAcl({ bucket, accessControlList: PUBLIC });
  for (const key of ['a', 'b']) await storage.as(bob).putObject({ bucket, key, body: SECRET });
  await storage.as(bob).initiateMultipartUpload({ bucket, key: 'a', contentType: SECRET });
}

/** Revokes alice's grant to bob. */
async function revoke({ storage }: Scene): Promise<void> {
  await storage.as(alice).putBucketAcl({ bucket, acl: 'private' });
  for (const { key } of (await storage.listObjects({ bucket })).contents) {
    await storage.putObject({ bucket, key, body: SECRET });
  }
}

/**
 * Sends a request once for each of its calls to the records, and makes the change before that call.
 */
async function prove(
  t: ExecutionContext,
  name: string,
  request: (uploadId: string) => OperationRequest,
  as: 'alice' | 'bob',
  change: (scene: Scene) => Promise<void>,
): Promise<number> {
  // The first call finds the bucket, which the request then uses.
  for (let at = change === replace ? 1 : 0; ; at++) {
    const set = await scene(t);
    if (as === 'bob') await set.storage.putBucketAcl({ bucket, accessControlList: FULL });
    let before = '';
    const happened = set.interrupt(at, async () => {
      await change(set);
      before = await set.records();
    });
    const { method, path, headers = {}, body = '' } = request(set.uploadId);
    const answer = await call(set.origin, method, path, { as, headers, body });
    if (!happened()) return at;
    const where = `${name}: ${method} ${path}, in front of call ${at}: ${answer.status}`;
    t.true(answer.status < 500, `${where} ${answer.text}`);
    t.false(answer.text.includes(SECRET), `${where} shows what was written later`);
    t.is(await set.records(), before, `${where} changed records`);
  }
}

const names = operations.map(({ name }) => name);

for (const [what, as, change] of [
  ['a bucket that takes the name of another is not touched', 'alice', replace],
  ['a right that was taken back is gone', 'bob', revoke],
] as const) {
  for (const name of names) {
    test(`${what}: ${name}`, async (t) => {
      const { length } = requestsOf('')[name] ?? [];
      t.true(length !== undefined && length > 0, `${name} has no request in requests.ts`);
      let calls = 0;
      for (let at = 0; at < (length as number); at++) {
        const request = (uploadId: string) => requestsOf(uploadId)[name]?.[at] as OperationRequest;
        calls += await prove(t, name, request, as, change);
      }
      t.true(calls > 0, 'no request made a call');
    });
  }
}
