import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import test from 'ava';
import { bodyOf, call, dial, open, opening } from './raw.js';
import { alice, carriers, diskStorage, listen } from './servers.js';

const KIB = 1024;
const bucket = 'bucket';

/** Bytes in which no two chunks of any two objects are the same. */
function distinct(size: number, seed: number): Buffer {
  const bytes = Buffer.alloc(size, `${seed}`);
  for (let at = 0; at + 8 <= size; at += KIB) {
    bytes.writeUInt32LE(at, at);
    bytes.writeUInt32LE(seed, at + 4);
  }
  return bytes;
}

/** Objects whose last chunks are whole, tiny and nearly whole. */
const SIZES = [2048 * KIB, 2048 * KIB + 1, 3000 * KIB - 1, 4096 * KIB];

for (const name of ['koa', 'express5'] as const) {
  test(`${name}: downloads that run at once never get bytes of each other`, async (t) => {
    const storage = await diskStorage();
    const { origin, close } = await listen(carriers[name](storage, {}));
    t.teardown(async () => {
      await close();
      await storage.close();
    });
    await storage.as(alice).putBucket({ bucket });
    const objects = SIZES.map((size, seed) => distinct(size, seed));
    for (const [at, body] of objects.entries()) {
      await storage.as(alice).putObject({ bucket, key: `${at}`, body });
    }
    const get = async (round: number) => {
      const at = round % objects.length;
      const whole = objects[at] as Buffer;
      const path = `/bucket/${at}`;
      if (round % 3 === 0) {
        const { body } = await call(origin, 'GET', path, {
          headers: { Range: 'bytes=100-1999999' },
        });
        return body.equals(whole.subarray(100, 2_000_000));
      }
      if (round % 5 === 0) return takeSlowly(origin, path, whole);
      if (round % 7 === 0) return leave(origin, path);
      return (await call(origin, 'GET', path)).body.equals(whole);
    };
    const rounds = Array.from({ length: 24 }, (_, round) => get(round));
    t.deepEqual(new Set(await Promise.all(rounds)), new Set([true]));
  });
}

async function takeSlowly(origin: string, path: string, whole: Buffer): Promise<boolean> {
  const { socket, closed, received } = await open(origin);
  socket.write(opening('GET', path, 'Connection: close'));
  socket.on('data', () => {
    socket.pause();
    setTimeout(() => socket.resume(), 1);
  });
  await closed;
  return bodyOf(received()).equals(whole);
}

async function leave(origin: string, path: string): Promise<boolean> {
  const socket = await dial(origin);
  socket.write(opening('GET', path));
  await once(socket, 'data');
  socket.destroy();
  return true;
}

test('a host that replaces write may keep chunks, and need not say when they have left', async (t) => {
  const storage = await diskStorage();
  const handle = carriers.node(storage, {});
  const { origin, close } = await listen((req, res) => {
    keepChunks(res);
    handle(req, res);
  });
  t.teardown(async () => {
    await close();
    await storage.close();
  });
  const body = distinct(3000 * KIB, 1);
  await storage.as(alice).putBucket({ bucket });
  await storage.as(alice).putObject({ bucket, key: 'key', body });
  t.true((await call(origin, 'GET', '/bucket/key')).body.equals(body));
});

/** Sends all chunks at the end, as a host does that transforms a body. */
function keepChunks(res: ServerResponse): void {
  const kept: Uint8Array[] = [];
  res.write = (chunk: Uint8Array) => {
    kept.push(chunk);
    return true;
  };
  const end = res.end.bind(res);
  res.end = ((chunk?: Uint8Array) =>
    end(Buffer.concat(chunk === undefined ? kept : [...kept, chunk]))) as typeof res.end;
}
