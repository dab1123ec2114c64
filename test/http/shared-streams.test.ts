import { createHash } from 'node:crypto';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, type Readable, Writable } from 'node:stream';
import type { ObjectStorage } from '@bucketware/core';
import test from 'ava';
import { open, opening } from './raw.js';
import { listen, memoryStorage } from './servers.js';

const name = { bucket: 'bucket', key: 'key' };
const refused = { code: 'InvalidArgument' };
const CHUNKED = { 'transfer-encoding': 'chunked' };

async function prepared(): Promise<ObjectStorage> {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket: 'bucket' });
  return storage;
}

/** What else a program does with a stream that it stores, and whether the stream can be stored. */
const SHARING: readonly (readonly [
  what: string,
  isWhole: boolean,
  share: (of: Readable) => void,
])[] = [
  ['is counted', true, (of) => of.on('data', () => {})],
  ['flows', true, (of) => of.resume()],
  ['is counted and paused', true, (of) => of.on('data', () => {}).pause()],
  ['is hashed', true, (of) => of.pipe(createHash('md5'))],
  ['goes elsewhere, too', true, (of) => of.pipe(new Writable({ write: (_c, _e, done) => done() }))],
  ['is read when it can be', false, (of) => of.on('readable', () => of.read())],
];

/** Calls the function with the stream of a request, and with one whose data is already buffered. */
async function eachStream(
  prepare: () => Promise<unknown>,
  use: (stream: Readable, data: Buffer) => Promise<void>,
) {
  for (const size of [0, 10, 200_000]) {
    const data = Buffer.alloc(size, 'x');
    await prepare();
    const full = new PassThrough();
    full.end(data);
    // As in the handler of a request: not in a microtask.
    await new Promise<void>((resolve, reject) => {
      setImmediate(() => use(full, data).then(resolve, reject));
    });
    await prepare();
    const server = createServer(async (req, res) => {
      await use(req, data).finally(() => res.end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const options = { port, method: 'PUT', headers: CHUNKED, agent: false };
    await new Promise<void>((resolve, reject) => {
      const sent = request(options, (answer) => answer.resume().on('end', resolve));
      sent.on('error', reject).end(data);
    });
    server.close();
  }
}

for (const [what, isWhole, share] of SHARING) {
  for (const when of ['before', 'after'] as const) {
    test(`a stream that ${what} ${when} it is stored is stored completely or rejected`, async (t) => {
      const storage = await prepared();
      const prepare = () => storage.putObject({ ...name, body: 'old' });
      await eachStream(prepare, async (stream, data) => {
        if (when === 'before') share(stream);
        const storing = storage.putObject({ ...name, body: stream }).catch((error) => error);
        if (when === 'after') share(stream);
        const stored = await storing;
        const found = await (await storage.getObject(name)).bytes();
        if (isWhole && when === 'before') t.is(stored.size, data.length);
        if (stored instanceof Error) t.like(stored, refused);
        t.deepEqual(found, stored instanceof Error ? Buffer.from('old') : data);
      });
    });
  }
}

test('a request whose bytes are counted keeps its connection when the storage rejects its body', async (t) => {
  const storage = await prepared();
  const { origin, close } = await listen(async (req, res) => {
    req.on('data', () => {});
    const { code } = await storage
      .putObject({ bucket: 'absent', key: 'key', body: req })
      .catch((error) => error);
    res.end(code);
  });
  t.teardown(close);
  const { socket, received, closed } = await open(origin);
  for (const last of [[], ['Connection: close']]) {
    socket.write(opening('PUT', '/', 'Content-Length: 200000', ...last));
    socket.write(Buffer.alloc(200_000));
  }
  await closed;
  t.regex(received().toString(), /NoSuchBucket.*HTTP.*NoSuchBucket/s);
});
