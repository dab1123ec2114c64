import type { EventEmitter } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import {
  createObjectStorage,
  memoryBlobs,
  memoryMetadata,
  type ObjectStorage,
  type Principal,
} from '@bucketware/core';
import { serve } from '@bucketware/core/node';
import test, { type ExecutionContext } from 'ava';
import { until } from '../drivers/fixtures.js';
import { dial, opening } from '../http/raw.js';
import { alice, bob, OF_TESTS } from '../http/servers.js';

const bucket = 'bucket';

/** Larger than what is stored in records. */
const LARGE = Buffer.alloc(70_000);

/** A storage that counts its work, and whose reads may be made to wait. */
async function counting(t: ExecutionContext) {
  const [metadata, blobs] = [memoryMetadata(), memoryBlobs()];
  const waiting: (() => void)[] = [];
  const state = {
    ...{ reads: 0, lists: 0, commits: 0, isHeld: false, isDamaged: false },
    /** The blobs whose reads wait; all of them if undefined. */
    held: undefined as Set<string> | undefined,
    lastRead: '',
  };
  const hold = async () => {
    if (state.isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const { commit, list } = metadata;
  metadata.commit = (change) => {
    state.commits++;
    return commit.call(metadata, change);
  };
  metadata.list = async (options) => {
    if (options.prefix?.startsWith('u/')) {
      state.lists++;
      await hold();
    }
    return list.call(metadata, options);
  };
  const { read } = blobs;
  blobs.read = async (...given) => {
    state.reads++;
    state.lastRead = given[0];
    if (state.held?.has(given[0]) ?? true) await hold();
    return state.isDamaged
      ? Readable.from([Buffer.alloc(LARGE.length, 1)])
      : read.apply(blobs, given);
  };
  const release = () => {
    state.isHeld = false;
    for (const go of waiting.splice(0)) go();
  };
  const options = { sweepEvery: false as const, onError: () => {}, ...OF_TESTS };
  const storage = await createObjectStorage({ metadata, blobs, ...options });
  t.teardown(() => storage.close());
  await storage.as(alice).putBucket({ bucket, acl: 'public-read' });
  await storage.putObject({ bucket, key: 'large', body: LARGE });
  return { storage, state, release };
}

/** Serves a storage whose principal is decided when `decide` is called. */
async function withSlowLogin(t: ExecutionContext, version: 1 | 2) {
  const { storage, state } = await counting(t);
  const handle = storage.handler();
  const logins: (() => void)[] = [];
  let left = 0;
  let ended = 0;
  const listener = async (req: IncomingMessage, res: ServerResponse) => {
    // In HTTP/2, the stream.
    ((req as { stream?: EventEmitter }).stream ?? res).once('close', () => left++);
    const principal = async () => {
      await new Promise<void>((resolve) => logins.push(resolve));
      return alice;
    };
    await serve(handle, req, res, { url: req.url ?? '/', mount: '', principal });
    ended++;
  };
  const server =
    version === 1
      ? createServer(listener)
      : createHttp2Server((req, res) => listener(req as never, res as never));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.teardown(() => server.close());
  /** Sends a request, and leaves while the app identifies the caller. */
  const leave = async (method: string, path: string) => {
    const before = logins.length;
    const close = version === 1 ? await send(method, path) : await sendHttp2(method, path);
    await until(() => logins.length > before);
    close();
    const had = ended;
    await until(() => left === logins.length);
    logins.at(-1)?.();
    await until(() => ended > had);
  };
  const send = async (method: string, path: string) => {
    const socket = await dial(origin);
    socket.write(opening(method, path, 'Content-Length: 0'));
    return () => socket.destroy();
  };
  const client = version === 2 ? connect(origin) : undefined;
  t.teardown(() => client?.destroy());
  const sendHttp2 = async (method: string, path: string) => {
    const headers = { ':method': method, ':path': path, 'content-length': 0 };
    const stream = client?.request(headers, { endStream: true });
    stream?.on('error', () => {});
    return () => stream?.close(8);
  };
  return { storage, state, leave };
}

for (const version of [1, 2] as const) {
  test(`in HTTP/${version}, nothing is done for a client that left during its login`, async (t) => {
    const { storage, state, leave } = await withSlowLogin(t, version);
    const before = { ...state };
    await leave('GET', '/bucket/large');
    await leave('PUT', '/bucket/new');
    await leave('DELETE', '/bucket/large');
    await leave('POST', '/bucket/large?uploads');
    t.deepEqual({ ...state }, before);
    t.deepEqual(
      (await storage.listObjects({ bucket })).contents.map(({ key }) => key),
      ['large'],
    );
  });
}

/** Sends a request, and resolves to its status. */
function requester(storage: ObjectStorage) {
  const handle = storage.handler();
  return async (principal: Principal, key = 'large', ...headers: string[]) => {
    const response = await handle({
      ...{ method: 'GET', url: `/bucket/${key}`, mount: '', encrypted: false },
      rawHeaders: ['Host', 'localhost', ...headers],
      body: { parsed: { value: undefined }, chunks: () => Readable.from([]) },
      principal: () => principal,
    });
    if (response?.body instanceof Readable) response.body.destroy();
    return response?.status;
  };
}

test('downloads of one caller that are being opened are limited, and others are served', async (t) => {
  const { storage, state, release } = await counting(t);
  for (const key of ['1', '2', '3']) await storage.putObject({ bucket, key, body: LARGE });
  const get = requester(storage);
  const before = state.reads;
  state.isHeld = true;
  let refused = 0;
  const gets = Array.from({ length: 4_300 }, async (_, number) => {
    const status = await get(alice, `${(number % 3) + 1}`);
    if (status === 503) refused++;
    return status;
  });
  await until(() => refused >= 44);
  t.true(state.reads - before <= 512);
  await until(() => state.reads - before >= 512); // Slow ones do not keep others waiting.
  state.isHeld = false;
  t.is(await get(bob), 200);
  release();
  const statuses = await Promise.all(gets);
  t.deepEqual([refused, statuses.filter((status) => status === 200).length], [44, 4_256]);
  t.is(await get(alice), 200);
});

test('downloads of one object whose blob does not answer leave room for those of others', async (t) => {
  const { storage, state, release } = await counting(t);
  await storage.putObject({ bucket, key: 'silent', body: LARGE });
  const get = requester(storage);
  t.is(await get(alice, 'silent'), 200);
  state.held = new Set([state.lastRead]);
  state.isHeld = true;
  const before = state.reads;
  const statuses: unknown[] = [];
  const send = () => get(alice, 'silent').then((status) => statuses.push(status));
  const gets = Array.from({ length: 5_000 }, send);
  await until(() => statuses.length >= 5_000 - 128 - 2_000);
  t.is(await get(alice), 200);
  // Those that take long are no longer counted, so that more can follow.
  await until(() => state.reads - before >= 256);
  await Promise.race([...Array.from({ length: 5_000 }, send), Promise.all(gets)]);
  t.is(await get(alice), 200);
  release();
  await Promise.all(gets);
  t.deepEqual(new Set(statuses), new Set([503, 200]));
});

test('downloads of a damaged blob, which is read whole, do not keep others waiting', async (t) => {
  const { storage, state, release } = await counting(t);
  const get = requester(storage);
  state.isDamaged = true;
  t.is(await get(alice), 500);
  const before = state.reads;
  state.isHeld = true;
  const statuses: unknown[] = [];
  const gets = Array.from({ length: 300 }, async () => {
    statuses.push(await get(alice, 'large', 'Range', 'bytes=0-9'));
  });
  await until(() => statuses.length > 0);
  t.is(state.reads - before, 4);
  t.deepEqual(new Set(statuses), new Set([503]));
  release();
  await Promise.all(gets);
  t.deepEqual([statuses.length, new Set(statuses)], [300, new Set([503, 500])]);
});

test('uploads that wait for the count of their bucket are limited', async (t) => {
  const { storage, state, release } = await counting(t);
  state.isHeld = true;
  const refused: string[] = [];
  const begin = (number: number) =>
    storage.initiateMultipartUpload({ bucket, key: `${number}` }).catch((error) => {
      refused.push(error.code);
    });
  const begun = Array.from({ length: 1_010 }, (_, number) => begin(number));
  await until(() => refused.length >= 10);
  release();
  await Promise.all(begun);
  t.deepEqual([refused.length, new Set(refused)], [10, new Set(['ServiceUnavailable'])]);
  t.is((await storage.listMultipartUploads({ bucket })).uploads.length, 1_000);
});
