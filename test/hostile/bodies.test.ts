import { readdir, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BlobStore, createObjectStorage, memoryBlobs, memoryMetadata } from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { dial } from '../http/raw.js';
import { alice, listen, onKoa } from '../http/servers.js';
import { delegate, stateOf } from '../http/soundness.js';
import { parseAnswer } from './scan.js';
import { ON_DISK, type Stage, stage } from './stage.js';

/** Too large for a record, so that a file is created. */
const SENT = 'x'.repeat(150_000);

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n';

/** What follows the first lines of a request. None of these bodies is complete. */
const LIES: Readonly<Record<string, string>> = {
  'nothing of what is announced': 'Content-Length: 100\r\n\r\n',
  'a byte too few': `Content-Length: ${SENT.length + 1}\r\n\r\n${SENT}`,
  'half of what is announced': `Content-Length: ${2 * SENT.length}\r\n\r\n${SENT}`,
  'chunks without an end': `${CHUNKED}${chunk(SENT)}`,
  'a chunk that is cut': `${CHUNKED}${chunk('x')}${(2 * SENT.length).toString(16)}\r\n${SENT}`,
  'a chunk longer than it says': `${CHUNKED}5\r\n${SENT}\r\n0\r\n\r\n`,
  'a chunk size with a sign': `${CHUNKED}${chunk(SENT)}-5\r\nhello\r\n0\r\n\r\n`,
  'a chunk size that is none': `${CHUNKED}${chunk(SENT)}zz\r\nhello\r\n0\r\n\r\n`,
  'a chunk size beyond all numbers': `${CHUNKED}${'f'.repeat(40)}\r\nhello\r\n0\r\n\r\n`,
  'a length and chunks': `Content-Length: 5\r\n${CHUNKED}${chunk('hello')}0\r\n\r\n`,
  'two lengths': 'Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!',
  'a length with a sign': 'Content-Length: +5\r\n\r\nhello',
  'a length in hexadecimal': 'Content-Length: 0x5\r\n\r\nhello',
  'a length beyond all numbers': `Content-Length: ${'9'.repeat(30)}\r\n\r\nhello`,
  'more than 5 GB': 'Content-Length: 5368709121\r\n\r\nhello',
  'a coding that is none': 'Transfer-Encoding: chunked, gzip\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
};

const ENDINGS = ['end', 'resetAndDestroy'] as const;

/** Every operation that reads a body. */
const targets = (uploadId: string): readonly (readonly [method: string, path: string])[] => [
  ['PUT', '/bucket/new'],
  ['PUT', '/bucket/old'],
  ['POST', '/bucket/log?append'],
  ['POST', '/bucket/log?append&offset=5'],
  ['PUT', `/bucket/up?partNumber=1&uploadId=${uploadId}`],
  ['PUT', `/bucket/up?partNumber=2&uploadId=${uploadId}`],
  ['POST', `/bucket/up?uploadId=${uploadId}`],
  ['POST', '/bucket?delete'],
  ['PUT', '/bucket?acl'],
  ['PUT', '/bucket?cors'],
  ['PUT', '/bucket?lifecycle'],
];

async function furnished(on: Stage): Promise<string> {
  const asAlice = on.storage.as(alice);
  await asAlice.putObject({ bucket: 'bucket', key: 'old', body: 'y'.repeat(100_000) });
  await asAlice.appendObject({ bucket: 'bucket', key: 'log', body: 'first' });
  const upload = { bucket: 'bucket', key: 'up' };
  const { uploadId } = await asAlice.initiateMultipartUpload(upload);
  await asAlice.uploadPart({ ...upload, uploadId, partNumber: 1, body: 'z'.repeat(100_000) });
  return uploadId;
}

/** Sends the given data, ends the connection, and waits for the other side to do so. */
async function cut(on: Stage, opening: string, lie: string, ending: (typeof ENDINGS)[number]) {
  const socket = await dial(on.origin);
  const received: Buffer[] = [];
  socket.on('data', (bytes: Buffer) => received.push(bytes));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => socket.write(opening + lie, resolve));
  socket[ending]();
  await closed;
  return parseAnswer('PUT', Buffer.concat(received)).status;
}

/** How many files and sockets are open. A thread that hashes bodies has other descriptors. */
async function openFiles(): Promise<number> {
  const descriptors = await readdir('/proc/self/fd');
  const links = descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''));
  return (await Promise.all(links)).filter((to) => /^(\/|socket:)/.test(to)).length;
}

/** Waits until a condition holds, or fails with the actual value. */
async function eventually<T>(t: ExecutionContext, look: () => Promise<T>, wanted: T, what: string) {
  const until = Date.now() + 15_000;
  for (;;) {
    const found = await look();
    if (JSON.stringify(found) === JSON.stringify(wanted)) return t.pass();
    if (Date.now() > until) return t.deepEqual(found, wanted, what);
    await sleep(50);
  }
}

for (const [name, carrier, onDisk] of ON_DISK) {
  test.serial(
    `${name}: no body with false length or digest is stored, and none leaves a file or a descriptor`,
    async (t) => {
      const on = await stage(t, carrier, onDisk);
      const uploadId = await furnished(on);
      const state = () => stateOf(on.storage, 'bucket');
      const before = await state();
      const { blobs } = await on.storage.check();
      const files = await openFiles();
      let cuts = 0;
      for (const [method, path] of targets(uploadId)) {
        const opening = `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer alice\r\n`;
        const lies = Object.entries(LIES).flatMap(([what, lie]) =>
          ENDINGS.map(async (ending) => {
            const status = await cut(on, opening, lie, ending);
            t.true(status === 0 || status >= 400, `${path}: ${what}: ${status}`);
            cuts++;
          }),
        );
        await Promise.all(lies);
      }
      t.is(cuts, 11 * 16 * 2);
      t.deepEqual(await state(), before);
      await eventually(t, async () => (await on.storage.check()).blobs, blobs, 'blobs');
      const { missing, orphans } = await on.storage.check();
      t.deepEqual([missing, orphans], [[], []]);
      await eventually(t, async () => (await openFiles()) <= files, true, 'open files');
      t.is((await on.send('GET', '/bucket/old')).body.length, 100_000);
      await on.seal();
    },
  );

  test.serial(
    `${name}: slow and stalled bodies block no others, and bytes after a body are not part of it`,
    async (t) => {
      const on = await stage(t, carrier, onDisk);
      await furnished(on);
      const opening = (path: string) =>
        `PUT ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer alice\r\nConnection: close\r\n`;
      const stalled = await Promise.all(
        Array.from({ length: 100 }, async (_, at) => {
          const socket = await dial(on.origin);
          socket.write(
            `${opening(`/bucket/stalled${at}`)}Content-Length: 200000\r\n\r\n${'x'.repeat(70_000)}`,
          );
          return socket;
        }),
      );
      const slow = await dial(on.origin);
      const response = new Promise<string>((resolve) =>
        slow.once('data', (data) => resolve(String(data))),
      );
      slow.write(`${opening('/bucket/slow')}Content-Length: 20\r\n\r\n`);
      for (let at = 0; at < 20; at++) {
        slow.write('s');
        t.is(
          (await on.send('GET', '/bucket/old', { headers: { range: 'bytes=0-0' } })).status,
          206,
        );
      }
      t.true((await response).startsWith('HTTP/1.1 200'));
      t.is((await on.send('GET', '/bucket/slow')).body.toString(), 's'.repeat(20));
      const behind = await dial(on.origin);
      const heard = new Promise<string>((resolve) =>
        behind.once('data', (data) => resolve(`${data}`)),
      );
      const head = opening('/bucket/exact').replace('Connection: close\r\n', '');
      behind.write(`${head}Content-Length: 5\r\n\r\nhello, and more that nobody announced`);
      // Node may reject what follows before the upload gets its response.
      t.regex(await heard, /^HTTP\/1.1 (200|400)/);
      const exact = await on.send('GET', '/bucket/exact');
      t.true(exact.status === 404 || exact.body.toString() === 'hello');
      for (const socket of stalled) socket.resetAndDestroy();
      await eventually(
        t,
        async () => {
          const { contents } = await on.storage.listObjects({ bucket: 'bucket' });
          return contents.map(({ key }) => key).filter((key) => key !== 'exact');
        },
        ['log', 'old', 'slow'],
        'objects',
      );
      await eventually(t, async () => (await on.storage.check()).blobs, 3, 'blobs');
      await on.seal();
    },
  );
}

test.serial('chunks of one byte do not cause a write for each', async (t) => {
  let writes = 0;
  const inner = delegate(memoryBlobs());
  const blobs: BlobStore = {
    ...inner,
    write(id, source, options) {
      async function* counted() {
        for await (const bytes of source) {
          writes++;
          yield bytes;
        }
      }
      return inner.write(id, counted(), options);
    },
  };
  const storage = await createObjectStorage({
    blobs,
    metadata: memoryMetadata(),
    sweepEvery: false,
  });
  const running = await listen(onKoa(storage, {}));
  t.teardown(running.close);
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const size = 100_000;
  const head =
    'PUT /bucket/key HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer alice\r\nConnection: close\r\n';
  const socket = await dial(running.origin);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.resume();
  socket.write(`${head}${CHUNKED}${chunk('x').repeat(size)}0\r\n\r\n`);
  await closed;
  const found = await storage.getObject({ bucket: 'bucket', key: 'key' });
  t.is((await found.bytes()).toString(), 'x'.repeat(size));
  t.true(writes < size / 20, `${writes} writes`);
});
