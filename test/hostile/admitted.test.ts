import {
  type Client,
  createObjectStorage,
  memoryBlobs,
  memoryMetadata,
  type ObjectStorage,
  StorageError,
} from '@bucketware/core';
import { actions } from '@bucketware/core/dialect';
import { s3 } from '@bucketware/s3';
import test, { type ExecutionContext } from 'ava';
import { call } from '../http/raw.js';
import { bucketIdOf } from '../http/record-keys.js';
import { alice, bob, listen, onNode } from '../http/servers.js';
import { CALLS } from './calls.js';
import { core } from './core.js';
import { interruptible, recordsOf } from './interruptible.js';
import { prepare, requestsOf } from './requests.js';

/*
 * A request may change and reveal only what it was admitted to. Each request is sent repeatedly.
 * Before each of its calls to the records in turn, the bucket gets a new owner, or the caller loses
 * the permission. From then on, the request must not change or reveal anything.
 */

const SECRET = 'written after the request had been admitted';
const LATER = [SECRET, 'http://later', '"*"', '"blockPublicPolicy":true', '"isPublic":true'];
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
  const { origin, close } = await listen(onNode(storage, {}));
  t.teardown(close);
  await storage.as(alice).putBucket({ bucket });
  await storage.as(bob).putBucket({ bucket: 'vault' });
  await storage.as(bob).putObject({ bucket: 'vault', key: 'secret', body: 'of bob' });
  const uploadId = await prepare(storage);
  await storage.uploadPart({ bucket, key: 'a', uploadId, partNumber: 1, body: 'x' });
  await configure(storage, 'http://x', 'x');
  await storage.putPublicAccessBlock({ bucket, publicAccessBlock: {} });
  await storage.putObjectTagging({ bucket, key: 'a', tags: { team: 'y' } });
  const records = async () => recordsOf(inner, await bucketIdOf(inner, bucket));
  return { storage, origin, uploadId, interrupt, records };
}

/** Sets rules for pages of one origin, and a lifecycle rule and a tag with one name. */
async function configure(storage: ObjectStorage, origin: string, name: string): Promise<void> {
  await storage.putBucketCors({
    bucket,
    corsConfiguration: [{ allowedOrigins: [origin], allowedMethods: ['GET'] }],
  });
  await storage.putBucketLifecycle({
    bucket,
    rule: [{ id: name, status: 'enabled', resource: ['bucket/'], action: 'DeleteObject' }],
  });
  await storage.putBucketTagging({ bucket, tags: { team: name } });
}

/** Writes what a request that was admitted before must not reveal. */
async function write(storage: ObjectStorage, keys: readonly string[]): Promise<void> {
  const tags = { team: SECRET };
  for (const key of [...keys, SECRET]) await storage.putObject({ bucket, key, body: SECRET, tags });
  await storage.initiateMultipartUpload({ bucket, key: SECRET });
  await configure(storage, 'http://later', SECRET);
  await storage.putPublicAccessBlock({ bucket, publicAccessBlock: { blockPublicPolicy: true } });
}

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
  await write(storage, ['a', 'b']);
  await storage.as(bob).initiateMultipartUpload({ bucket, key: 'a', contentType: SECRET });
}

/** Revokes alice's grant to bob. */
async function revoke({ storage }: Scene): Promise<void> {
  await storage.as(alice).putBucketAcl({ bucket, acl: 'private' });
  const { contents } = await storage.listObjects({ bucket });
  await write(
    storage,
    contents.map(({ key }) => key),
  );
}

type Caller = 'alice' | 'bob';

interface Request {
  readonly what: string;
  send(scene: Scene, as: Caller): Promise<{ readonly status: number; readonly text: string }>;
}

/** The requests of an operation of the JSON interface. */
const requests = (name: string): Request[] =>
  (requestsOf('')[name] ?? []).map(({ method, path }, at) => ({
    what: `${method} ${path}`,
    async send({ origin, uploadId }, as) {
      const { path = '', headers = {}, body = '' } = requestsOf(uploadId)[name]?.[at] ?? {};
      return call(origin, method, path, { as, headers, body });
    },
  }));

/** The call of an action by a program. */
const programs = (name: string, run: (client: Client) => Promise<unknown>): Request => ({
  what: `${name}()`,
  async send({ storage }, as) {
    try {
      const result = await run(storage.as(as === 'bob' ? bob : alice));
      return { status: 200, text: JSON.stringify(result ?? {}) };
    } catch (error) {
      if (!(error instanceof StorageError) || error.code === 'InvalidArgument') throw error;
      return { status: error.status, text: error.message };
    }
  },
});

/**
 * Sends a request once for each of its calls to the records, and makes the change before that call.
 */
async function prove(
  t: ExecutionContext,
  { what, send }: Request,
  as: Caller,
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
    const { status, text } = await send(set, as);
    if (!happened()) return at;
    const where = `${what}, in front of call ${at}: ${status}`;
    t.true(status < 500, `${where} ${text}`);
    t.false(
      LATER.some((later) => text.includes(later)),
      `${where} shows what was written later`,
    );
    t.is(await set.records(), before, `${where} changed records`);
  }
}

/** Every action, and the form, which is another way to call PutObject. */
const ROWS = new Map<string, readonly Request[]>([['PostObject', requests('PostObject')]]);
for (const [name, action] of Object.entries(actions)) {
  const run = CALLS[name as keyof Client];
  ROWS.set(action.name, run === undefined ? requests(action.name) : [programs(name, run)]);
}

test('the operations of both dialects are ways to call these actions', (t) => {
  for (const { action } of [
    ...core.jsonApi.jsonApi().operations,
    ...s3({ credentials: {} }).operations,
  ]) {
    t.true(Object.values(actions).includes(action as never), action.name);
  }
});

for (const [what, as, change] of [
  ['a bucket that takes the name of another is not touched', 'alice', replace],
  ['a right that was taken back is gone', 'bob', revoke],
] as const) {
  for (const [name, rows] of ROWS) {
    test(`${what}: ${name}`, async (t) => {
      t.true(rows.length > 0, `${name} has no request in requests.ts or calls.ts`);
      let calls = 0;
      for (const row of rows) calls += await prove(t, row, as, change);
      t.true(calls > 0, 'no request made a call');
    });
  }
}
