import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createObjectStorage, memoryBlobs, memoryMetadata } from '@bucketware/core';
import test from 'ava';
import { open, opening } from './raw.js';
import { alice, listen, onNode } from './servers.js';

const KIB = 1024;
const bucket = 'bucket';
const HELD = 8;

test('waiting appends stay in memory up to a limit, and beyond it in blobs', async (t) => {
  const blobs = memoryBlobs();
  const written = { blobs: 0, tails: 0 };
  const { write, append } = blobs;
  blobs.write = (...given) => {
    written.blobs++;
    return write.apply(blobs, given);
  };
  blobs.append = (...given) => {
    written.tails++;
    return append.apply(blobs, given);
  };
  const metadata = memoryMetadata();
  const storage = await createObjectStorage({ blobs, metadata, jsonMemory: 900 * KIB });
  const { origin, close } = await listen(onNode(storage, {}));
  t.teardown(close);
  await storage.as(alice).putBucket({ bucket });
  for (let at = 0; at < HELD; at++) {
    await storage.as(alice).appendObject({ bucket, key: `log-${at}`, body: 'x' });
  }
  written.blobs = 0;
  const part = Buffer.alloc(200 * KIB, 'a');
  const begin = async (at: number, rest: number): Promise<() => Promise<string>> => {
    const { socket, closed, received } = await open(origin);
    const length = `Content-Length: ${part.length + rest}`;
    const path = `/${bucket}/log-${at}?append&offset=1`;
    socket.write(opening('POST', path, length, 'Connection: close'));
    await sent(socket, part);
    return async () => {
      socket.write('b'.repeat(rest));
      await closed;
      return received().toString().slice(9, 12);
    };
  };
  const finish: (() => Promise<string>)[] = [];
  for (let at = 0; at < HELD; at++) finish.push(await begin(at, 10));
  // 900 KiB are enough for four of them.
  while (written.blobs < HELD - 4) await sleep(5);
  t.deepEqual(await Promise.all(finish.map((end) => end())), Array(HELD).fill('200'));
  t.deepEqual(written, { blobs: HELD - 4, tails: 4 });
  for (let at = 0; at < HELD; at++) {
    const bytes = await (await storage.getObject({ bucket, key: `log-${at}` })).text();
    t.is(bytes, `x${part}${'b'.repeat(10)}`);
  }
  // Their memory is free again, including that of a client that disconnected.
  const { socket } = await open(origin);
  const gone = once(socket, 'close');
  socket.write(
    opening('POST', `/${bucket}/log-0?append&offset=${part.length + 11}`, 'Content-Length: 300000'),
  );
  await sent(socket, part);
  socket.destroy();
  await gone;
  await storage.as(alice).appendObject({ bucket, key: 'new', body: 'x' });
  for (let offset = 1, inMemory = 0; inMemory < 4; offset += 800 * KIB) {
    written.blobs = 0;
    const body = Buffer.alloc(800 * KIB);
    await storage.as(alice).appendObject({ bucket, key: 'new', offset, body });
    // The server may not have noticed yet that the client disconnected.
    if (written.blobs === 0) inMemory++;
    else await sleep(5);
  }
  t.pass();
});

const sent = (socket: Socket, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve) => socket.write(bytes, () => resolve()));
