import { createObjectStorage, memoryBlobs, memoryMetadata, StorageError } from '@bucketware/core';
import { s3 } from '@bucketware/s3';
import test, { type ExecutionContext } from 'ava';
import { dial } from './raw.js';
import { alice, bob, listen, onKoa } from './servers.js';

/** A storage whose clock the test sets, and whose records can call hooks. */
async function createFixture(t: ExecutionContext) {
  const time = { now: 1_795_341_234_567 };
  const hooks: { beforeCommit?: () => Promise<unknown>; unreadable?: string } = {};
  const metadata = memoryMetadata();
  const hooked = new Proxy(metadata, {
    get(target, name: keyof typeof metadata) {
      if (name === 'commit') {
        return async (change: Parameters<typeof target.commit>[0]) => {
          const { beforeCommit } = hooks;
          delete hooks.beforeCommit;
          await beforeCommit?.();
          return target.commit(change);
        };
      }
      if (name === 'get') {
        return async (key: string) => {
          if (hooks.unreadable !== undefined && key.includes(hooks.unreadable)) {
            throw new Error('This record cannot be read.');
          }
          return target.get(key);
        };
      }
      const found = target[name];
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
  const storage = await createObjectStorage({
    ...{ metadata: hooked, blobs: memoryBlobs(), now: () => time.now, uniqueUserIds: true },
    ...{ sweepEvery: false, readGrace: 0, reservedBlobs: 0, onError: () => {} },
  });
  t.teardown(() => storage.close());
  await storage.as(alice).putBucket({ bucket: 'shared' });
  const grantee = [{ id: bob.userId }];
  const accessControlList = [{ grantee, permission: ['READ' as const, 'WRITE' as const] }];
  await storage.putBucketAcl({ bucket: 'shared', accessControlList });
  return { storage, time, hooks };
}

const at = { bucket: 'shared', key: 'key' };

async function* slowly(meanwhile: () => Promise<unknown>) {
  yield 'x';
  await meanwhile();
  yield 'x';
}

async function failureOf(work: Promise<unknown>): Promise<StorageError> {
  const error = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (error instanceof StorageError) return error;
  throw new Error('It did not fail as expected.', { cause: error });
}

test('an append does not reveal the size of an object that became private while the body arrived', async (t) => {
  const { storage } = await createFixture(t);
  const append = (meanwhile: () => Promise<unknown>) =>
    failureOf(storage.as(bob).appendObject({ ...at, offset: 4, body: slowly(meanwhile) }));
  const replace = (more: object) => () =>
    storage.as(alice).appendObject({ ...at, body: 'of another length', ...more });
  await storage.appendObject({ ...at, body: '0123' });
  const readable = await append(replace({}));
  t.is(readable.code, 'OffsetIncorrect');
  t.is(readable.details.size, 17);
  await storage.appendObject({ ...at, body: '0123' });
  const hidden = await append(replace({ acl: 'private' }));
  t.is(hidden.code, 'OffsetIncorrect');
  t.is(hidden.details.size, undefined);
  t.notRegex(hidden.message, /\d/);
});

test('a failed append reveals nothing to a caller who has lost permission meanwhile', async (t) => {
  const { storage } = await createFixture(t);
  await storage.appendObject({ ...at, body: '0123' });
  const body = slowly(async () => {
    await storage.putBucketAcl({ bucket: 'shared', acl: 'private' });
    await storage.appendObject({ ...at, offset: 4, body: 'more' });
  });
  const refused = await failureOf(storage.as(bob).appendObject({ ...at, offset: 4, body }));
  t.is(refused.code, 'AccessDenied');
});

test('a user whom the host blocks while the body arrives cannot create a bucket', async (t) => {
  const { storage, time } = await createFixture(t);
  const blocked = new Set<string | undefined>();
  const credentials = {};
  const { origin, close } = await listen(
    onKoa(storage, {
      dialect: s3({ credentials }),
      authorize: ({ allowed, principal }) => allowed && !blocked.has(principal?.userId),
    }),
  );
  t.teardown(close);
  const xml = '<CreateBucketConfiguration/>';
  const create = async (bucket: string, meanwhile: () => void) => {
    const socket = await dial(origin);
    const head = [`PUT /${bucket} HTTP/1.1`, 'Host: x', 'Authorization: Bearer bob'];
    head.push('Connection: close', `Content-Length: ${xml.length}`);
    socket.write(`${head.join('\r\n')}\r\n\r\n${xml.slice(0, 5)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    meanwhile();
    const answer = socket.toArray();
    socket.write(xml.slice(5));
    return Buffer.concat(await answer).toString();
  };
  t.regex(await create('in-time', () => {}), /^HTTP\/1.1 200 /);
  const late = await create('too-late', () => {
    time.now += 1500;
    blocked.add(bob.userId);
  });
  t.regex(late, /^HTTP\/1.1 403 /);
  const { buckets } = await storage.as(bob).listBuckets();
  t.deepEqual(
    buckets.map(({ name }) => name),
    ['in-time'],
  );
});

test('an upload into a bucket whose lifecycle rules cannot be read leaves no blob', async (t) => {
  const { storage, time, hooks } = await createFixture(t);
  const rule = [
    {
      status: 'enabled' as const,
      resource: ['shared/*'],
      expires: { afterDays: 1 },
      action: 'DeleteObject' as const,
    },
  ];
  await storage.putBucketLifecycle({ bucket: 'shared', rule });
  hooks.unreadable = 'lifecycle';
  await t.throwsAsync(storage.putObject({ ...at, body: Buffer.alloc(200_000) }));
  delete hooks.unreadable;
  for (let sweeps = 0; sweeps < 2; sweeps++) {
    time.now += 30 * 24 * 60 * 60 * 1000;
    await storage.sweep();
  }
  const { objects, blobs, orphans } = await storage.check();
  t.deepEqual({ objects, blobs, orphans }, { objects: 0, blobs: 0, orphans: [] });
});

test('the condition of a delete reveals nothing about an object that became private meanwhile', async (t) => {
  const { storage, hooks } = await createFixture(t);
  const guess = await storage.putObject({ ...at, body: 'the secret' });
  hooks.beforeCommit = () =>
    storage.as(alice).putObject({ ...at, body: 'the secret', acl: 'private' });
  const remove = storage.as(bob).deleteObject({ ...at, ifMatch: guess.etag });
  t.is((await failureOf(remove)).code, 'AccessDenied');
  t.is((await storage.getObjectMeta(at)).size, 10);
});
