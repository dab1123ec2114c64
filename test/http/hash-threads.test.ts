import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Worker } from 'node:worker_threads';
import type { ObjectStorage } from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { temporaryDirectory } from '../drivers/fixtures.js';
import { call, open, opening } from './raw.js';
import { alice, listen, memoryStorage, onNode } from './servers.js';

const MIB = 1024 * 1024;
const bucket = 'bucket';

const content = (size: number, seed: number): Buffer => {
  const bytes = Buffer.alloc(size, `${seed}`);
  for (let at = 0; at + 4 <= size; at += 1000) bytes.writeUInt32LE(at, at);
  return bytes;
};
const etagOf = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

/** Splits data into chunks of odd sizes. */
function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7) % 300_007) {
    yield bytes.subarray(at, at + size);
  }
}

/** A storage with one running thread. */
async function withThread(t: ExecutionContext) {
  const storage = await memoryStorage({ hashThreads: 1, onError: () => {} });
  t.teardown(() => storage.close());
  const started = once(process, 'worker') as Promise<[Worker]>;
  await storage.as(alice).putBucket({ bucket });
  await put(storage, 'first', content(MIB, 0));
  const [thread] = await started;
  let answers = 0;
  await once(thread, 'message');
  thread.on('message', () => answers++);
  return { storage, thread, answers: () => answers };
}

const put = (storage: ObjectStorage, key: string, body: Buffer) =>
  storage.as(alice).putObject({ bucket, key, body });

const get = async (storage: ObjectStorage, key: string): Promise<Buffer> => {
  const object = await storage.as(alice).getObject({ bucket, key });
  return Buffer.concat(await object.body.toArray());
};

test.serial('bodies that share a thread and its memory get their own digests', async (t) => {
  const { storage, answers } = await withThread(t);
  const bodies = Array.from({ length: 14 }, (_, seed) => content(MIB + seed * 99_999, seed));
  const etags = await Promise.all(
    bodies.map(async (body, index) => {
      const target = { bucket, key: `${index}`, body: Readable.from(pieces(body)) };
      const length = index % 2 === 0 ? body.length : undefined;
      return (await storage.as(alice).putObject({ ...target, contentLength: length })).etag;
    }),
  );
  t.deepEqual(etags, bodies.map(etagOf));
  t.true((await get(storage, '13')).equals(bodies[13] as Buffer));
  t.true(answers() > 14, `${answers()} answers`);
});

test.serial('the digests of an object can also be continued in a thread', async (t) => {
  const { storage, answers } = await withThread(t);
  const [first, second, small] = [content(2 * MIB, 1), content(3 * MIB + 1, 2), content(10, 3)];
  const append = (body: Buffer, at: { offset?: number }) =>
    storage.as(alice).appendObject({ bucket, key: 'log', body, ...at });
  t.is((await append(first, {})).etag, etagOf(first));
  t.is((await append(small, { offset: 2 * MIB })).etag, etagOf(Buffer.concat([first, small])));
  const whole = Buffer.concat([first, small, second]);
  t.is((await append(second, { offset: 2 * MIB + 10 })).etag, etagOf(whole));
  t.true((await get(storage, 'log')).equals(whole));
  t.true(answers() > 0);
});

test.serial('a wrong digest is detected, and nothing is stored', async (t) => {
  const { storage, answers } = await withThread(t);
  const body = content(2 * MIB, 1);
  const contentMd5 = createHash('md5').update('another').digest('base64');
  const wrong = storage.as(alice).putObject({ bucket, key: 'key', body, contentMd5 });
  await t.throwsAsync(wrong, { code: 'BadDigest' });
  t.true(answers() > 0);
  t.like(await storage.check(), { objects: 1, blobs: 1, orphans: [] });
});

test.serial('uploads that break off release the memory of the thread', async (t) => {
  const { storage, answers } = await withThread(t);
  const failing = async function* () {
    yield content(100_000, 1);
    yield content(600_000, 2);
    throw new Error('gone');
  };
  const contentLength = 2 * MIB;
  for (let round = 0; round < 3; round++) {
    const uploads = Array.from({ length: 12 }, (_, key) =>
      storage.as(alice).putObject({ bucket, key: `${key}`, body: failing(), contentLength }),
    );
    const outcomes = await Promise.allSettled(uploads);
    t.true(outcomes.every(({ status }) => status === 'rejected'));
  }
  const before = answers();
  const body = content(4 * MIB, 3);
  t.is((await put(storage, 'key', body)).etag, etagOf(body));
  t.true(answers() > before);
});

test.serial('if a thread dies, its uploads fail, and later ones do not use it', async (t) => {
  const { storage, thread } = await withThread(t);
  const { origin, close } = await listen(onNode(storage, {}));
  t.teardown(close);
  const { socket, closed, received } = await open(origin);
  const headers = [`Content-Length: ${4 * MIB}`, 'Connection: close'];
  socket.write(opening('PUT', '/bucket/key', ...headers));
  socket.write(content(2 * MIB, 1));
  await once(thread, 'message');
  await thread.terminate();
  socket.write(content(2 * MIB, 2));
  await closed;
  t.regex(received().toString(), /^HTTP\/1\.1 500 /);

  const body = content(4 * MIB, 3);
  t.is((await call(origin, 'PUT', '/bucket/key', { body })).headers.etag, `"${etagOf(body)}"`);
  t.like(await storage.check(), { objects: 2, blobs: 2, orphans: [] });
});

test.serial('if no thread can start, bodies are hashed without one', async (t) => {
  const storage = await memoryStorage({ hashThreads: 1 });
  t.teardown(() => storage.close());
  await storage.as(alice).putBucket({ bucket });
  process.once('worker', (thread: Worker) => void thread.terminate());
  const body = content(33 * MIB, 1);
  t.is((await put(storage, 'key', body)).etag, etagOf(body));
});

test.serial(
  'a very large body waits for the thread; small ones and hashThreads: 0 start none',
  async (t) => {
    let started = 0;
    const count = () => void started++;
    process.on('worker', count);
    t.teardown(() => process.off('worker', count));
    for (const hashThreads of [0, 1]) {
      const storage = await memoryStorage({ hashThreads });
      await storage.as(alice).putBucket({ bucket });
      await put(storage, 'small', content(MIB - 1, 1));
      t.is(started, 0);
      const body = content(33 * MIB, 1);
      t.is((await put(storage, 'large', body)).etag, etagOf(body));
      t.is(started, hashThreads);
      await storage.close();
    }
  },
);

test.serial('a body that is abandoned while it uses or awaits a slot releases it', async (t) => {
  const { ThreadBody } = await threadBody();
  const free = [0, 1];
  const waiting: ((slot: number) => void)[] = [];
  const thread = {
    failure: undefined,
    memory: () => Buffer.alloc(SLOT),
    takeSlot: () => free.pop(),
    nextSlot: () => new Promise<number>((resolve) => waiting.push(resolve)),
    giveSlot: (slot: number) => void free.push(slot),
    send: () => {},
    over: () => {},
  };
  const first = new ThreadBody(thread, 1);
  t.is(first.update(Buffer.alloc(SLOT)), undefined);
  t.is(first.update(Buffer.alloc(10)), undefined);
  t.deepEqual(free, []);

  const second = new ThreadBody(thread, 2);
  const update = second.update(Buffer.alloc(10));
  t.truthy(update);
  second.drop();
  waiting[0]?.(7);
  await update;
  t.deepEqual(free, [7]);
  first.drop();
  t.deepEqual(free, [7, 0]);
});

const SLOT = 256 * 1024;

/** The package does not export this function. */
const threadBody = (): Promise<
  typeof import('../../packages/core/dist/engine/content/thread-body.js')
> =>
  import(
    new URL('../../../packages/core/dist/engine/content/thread-body.js', import.meta.url).href
  );

test.serial(
  'a storage closes completely, even if its thread starts at the same moment',
  async (t) => {
    const core = JSON.stringify(import.meta.resolve('@bucketware/core'));
    const program = `
    import { Worker } from 'node:worker_threads';
    import { createObjectStorage, memoryBlobs, memoryMetadata } from ${core};
    const { terminate } = Worker.prototype;
    Worker.prototype.terminate = function () {
      // The thread gets ready meanwhile, and its message waits.
      for (const begin = Date.now(); Date.now() < begin + 500; );
      return terminate.call(this);
    };
    const drivers = { metadata: memoryMetadata(), blobs: memoryBlobs() };
    const storage = await createObjectStorage({ ...drivers, sweepEvery: false, hashThreads: 1 });
    await storage.putBucket({ bucket: 'bucket' });
    await storage.putObject({ bucket: 'bucket', key: 'large', body: Buffer.alloc(${MIB}) });
    await storage.close();
    console.log('closed');`;
    const { path, remove } = await temporaryDirectory();
    t.teardown(remove);
    const file = join(path, 'program.mjs');
    await writeFile(file, program);
    const child = spawn(process.execPath, [file]);
    const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    t.deepEqual([printed, code], ['closed\n', 0]);
  },
);
