import { constants } from 'node:os';
import { Readable } from 'node:stream';
import {
  type BlobStore,
  createObjectStorage,
  type ErrorContext,
  type MetadataStore,
  memoryBlobs,
  memoryMetadata,
} from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { carriers } from './carriers.js';
import { call, dial } from './raw.js';
import { alice, type Carry, listen } from './servers.js';

interface Faults {
  metadata?: Error;
  commit?: Error;
  /** Makes the stream of a blob fail after its first bytes. */
  reading?: Error;
  writing?: Error;
  /** Makes commits fail after a write. */
  afterWriting?: Error;
  /** Makes commits fail after one commit. */
  afterCommit?: Error;
}

const SECRET = '/var/lib/secret/path';

/** A storage whose drivers fail on demand. */
async function serve(t: ExecutionContext, carry: Carry) {
  const faults: Faults = {};
  const fail = (error: Error | undefined) => {
    if (error) throw error;
  };
  const records = memoryMetadata();
  const metadata: MetadataStore = {
    ...methods(records),
    getMany: async (keys) => {
      fail(faults.metadata);
      return records.getMany(keys);
    },
    commit: async (change) => {
      fail(faults.metadata ?? faults.commit);
      if (faults.afterCommit) faults.commit = faults.afterCommit;
      return records.commit(change);
    },
  };
  const bytes = memoryBlobs();
  const blobs: BlobStore = {
    ...methods(bytes),
    async read(id, range) {
      const stream = await bytes.read(id, range);
      const { reading } = faults;
      return reading ? Readable.from(broken(stream, reading), { objectMode: false }) : stream;
    },
    async write(id, source, options) {
      if (faults.afterWriting) faults.commit = faults.afterWriting;
      fail(faults.writing);
      return bytes.write(id, source, options);
    },
  };
  const storage = await createObjectStorage({ metadata, blobs, sweepEvery: false });
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const body = Buffer.alloc(2_000_000, 'x');
  await storage.as(alice).putObject({ bucket: 'bucket', key: 'large', body });
  const seen: { error: unknown; context: ErrorContext }[] = [];
  const onError = (error: unknown, context: ErrorContext) => seen.push({ error, context });
  const { origin, close } = await listen(carry(storage, { onError }));
  t.teardown(close);
  return { faults, origin, seen, storage };
}

async function* broken(stream: Readable, error: Error) {
  for await (const chunk of stream) {
    yield (chunk as Buffer).subarray(0, 1000);
    throw error;
  }
}

/** All methods of a driver, bound to it. */
function methods<T extends object>(driver: T): T {
  const bound = new Proxy(driver, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(driver));
  const all = [...Object.keys(driver), ...names] as (keyof T)[];
  return Object.fromEntries(all.map((name) => [name, bound[name]])) as T;
}

for (const [name, carry] of Object.entries(carriers)) {
  test(`${name}: an internal failure is InternalError for the client, and passed to onError in full`, async (t) => {
    const { faults, origin, seen } = await serve(t, carry);
    faults.metadata = new Error(SECRET);
    for (const [method, path, operation] of [
      ['GET', '/bucket/large', 'GetObject'],
      ['HEAD', '/bucket/large', 'GetObjectMeta'],
      ['PUT', '/bucket/new', 'PutObject'],
      ['PUT', '/bucket', 'PutBucket'],
    ] as const) {
      const body = method === 'PUT' ? 'x' : undefined;
      const answer = await call(origin, method, path, body === undefined ? {} : { body });
      t.is(answer.status, 500);
      t.false(answer.text.includes(SECRET));
      const requestId = answer.headers['x-svc-request-id'] as string;
      if (method !== 'HEAD') {
        const { code, requestId: shown } = JSON.parse(answer.text);
        t.deepEqual([code, shown], ['InternalError', requestId]);
      }
      const [reported, ...more] = seen.splice(0);
      t.deepEqual([reported?.error, reported?.context.requestId], [faults.metadata, requestId]);
      t.is(reported?.context.method, method);
      // The bucket is read before the request is parsed completely.
      t.true([operation, undefined].some((name) => name === reported?.context.operation));
      t.deepEqual(more, []);
    }
  });

  test(`${name}: a full disk is 507 InsufficientStorage, and passed to onError`, async (t) => {
    const { faults, origin, seen, storage } = await serve(t, carry);
    faults.writing = Object.assign(new Error(SECRET), { code: 'ENOSPC' });
    const answer = await call(origin, 'PUT', '/bucket/new', { body: Buffer.alloc(100_000) });
    t.is(answer.status, 507);
    t.is(JSON.parse(answer.text).code, 'InsufficientStorage');
    t.false(answer.text.includes(SECRET));
    t.deepEqual(
      seen.map(({ context }) => context.operation),
      ['PutObject'],
    );
    const program = storage.putObject({
      bucket: 'bucket',
      key: 'new',
      body: Buffer.alloc(100_000),
    });
    t.is(await t.throwsAsync(program), faults.writing, 'a program gets the error of the driver');
    const { missing, orphans, objects } = await storage.check();
    t.deepEqual({ missing, orphans, objects }, { missing: [], orphans: [], objects: 1 });
  });

  test(`${name}: a used-up quota is 507 InsufficientStorage, although Node has no name for it`, async (t) => {
    const { faults, origin } = await serve(t, carry);
    const errno = -constants.errno.EDQUOT;
    faults.writing = Object.assign(new Error(SECRET), {
      code: `Unknown system error ${errno}`,
      errno,
    });
    const answer = await call(origin, 'PUT', '/bucket/new', { body: Buffer.alloc(100_000) });
    t.is(answer.status, 507);
    t.is(JSON.parse(answer.text).code, 'InsufficientStorage');
  });

  test(`${name}: if the data of a failed upload cannot be removed, the first failure is reported`, async (t) => {
    const { faults, origin, seen, storage } = await serve(t, carry);
    faults.writing = Object.assign(new Error(SECRET), { code: 'ENOSPC' });
    faults.afterWriting = Object.assign(new Error('read-only'), { code: 'EROFS' });
    const answer = await call(origin, 'PUT', '/bucket/new', { body: Buffer.alloc(100_000) });
    t.is(answer.status, 507);
    t.deepEqual(
      seen.map(({ error }) => error),
      [faults.writing],
    );
    delete faults.commit; // What was not removed is still in the queue.
    const { missing, orphans } = await storage.check();
    t.deepEqual({ missing, orphans }, { missing: [], orphans: [] });
  });

  test(`${name}: a read-only metadata store is 503 ServiceUnavailable, and passed to onError`, async (t) => {
    const { faults, origin, seen } = await serve(t, carry);
    faults.commit = Object.assign(new Error(SECRET), { code: 'EROFS' });
    for (const [method, path, operation] of [
      ['PUT', '/bucket/new', 'PutObject'],
      ['PUT', '/another', 'PutBucket'],
      ['DELETE', '/bucket/large', 'DeleteObject'],
    ] as const) {
      const answer = await call(origin, method, path, method === 'PUT' ? { body: '{}' } : {});
      t.is(answer.status, 503);
      const { code, message } = JSON.parse(answer.text);
      t.is(code, 'ServiceUnavailable');
      t.regex(message, /accepts no changes/);
      const [reported, ...more] = seen.splice(0);
      t.deepEqual(
        [reported?.error, reported?.context.operation, more],
        [faults.commit, operation, []],
      );
    }
    t.is((await call(origin, 'GET', '/bucket/large')).status, 200);
  });

  test(`${name}: data that cannot be reached is 503 with a Retry-After header`, async (t) => {
    const { faults, origin, seen } = await serve(t, carry);
    const cause = Object.assign(new Error(SECRET), { code: 'EHOSTDOWN' });
    faults.writing = new Error('The store of the bytes is down.', { cause });
    const answer = await call(origin, 'PUT', '/bucket/new', { body: Buffer.alloc(100_000) });
    t.deepEqual([answer.status, answer.headers['retry-after']], [503, '5']);
    t.is(JSON.parse(answer.text).code, 'ServiceUnavailable');
    t.is(seen.length, 1);
  });

  test(`${name}: a list of objects that were deleted only in part is 500, not 503`, async (t) => {
    const { faults, origin, storage } = await serve(t, carry);
    await storage.as(alice).putObject({ bucket: 'bucket', key: 'small', body: 'x' });
    const body = JSON.stringify({ objects: [{ key: 'large' }, { key: 'small' }] });
    const unreachable = Object.assign(new Error(SECRET), { code: 'EHOSTDOWN' });
    faults.commit = unreachable;
    t.is((await call(origin, 'POST', '/bucket?delete', { body })).status, 503);
    delete faults.commit;
    faults.afterCommit = unreachable;
    t.is((await call(origin, 'POST', '/bucket?delete', { body })).status, 500);
    t.is((await storage.as(alice).listObjects({ bucket: 'bucket' })).contents.length, 1);
  });

  test(`${name}: a failure during a download ends the connection, and is passed to onError once`, async (t) => {
    const { faults, origin, seen } = await serve(t, carry);
    faults.reading = new Error(SECRET);
    await t.throwsAsync(call(origin, 'GET', '/bucket/large'), { code: 'ECONNRESET' });
    t.deepEqual(
      seen.map(({ error }) => error),
      [faults.reading],
    );
    t.is(seen[0]?.context.operation, 'GetObject');
    delete faults.reading;
    t.is((await call(origin, 'GET', '/bucket/large')).body.length, 2_000_000);
  });

  test(`${name}: errors of the client are not passed to onError`, async (t) => {
    const { origin, seen, storage } = await serve(t, carry);
    t.is((await call(origin, 'GET', '/bucket/no')).status, 404);
    t.is((await call(origin, 'GET', '/bucket/large', { as: 'bob' })).status, 403);
    t.is((await call(origin, 'GET', '/bucket/%zz')).status, 400);
    const cut = await dial(origin);
    const closed = new Promise((resolve) => cut.once('close', resolve));
    const head = 'PUT /bucket/cut HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer alice\r\n';
    cut.end(`${head}Content-Length: 100\r\n\r\nx`);
    cut.resume();
    await closed;
    const left = await dial(origin);
    left.write('GET /bucket/large HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer alice\r\n\r\n');
    await new Promise((resolve) => left.once('data', resolve));
    left.resetAndDestroy();
    t.is((await call(origin, 'GET', '/bucket/large')).status, 200);
    t.is((await call(origin, 'PUT', '/bucket/after', { body: 'x' })).status, 200);
    t.deepEqual(seen, []);
    t.is((await storage.check()).objects, 2);
  });
}
