import { once } from 'node:events';
import { ServerResponse } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { storageMiddleware } from '@bucketware/koa';
import test from 'ava';
import Koa from 'koa';
import { carriers } from './carriers.js';
import { diskStorage } from './disk-storage.js';
import { bodyOf, call, dial, open, opening } from './raw.js';
import { alice, listen, onNode } from './servers.js';

const KIB = 1024;
const bucket = 'bucket';

/** Data in which no two chunks of any two objects are equal. */
function distinct(size: number, seed: number): Buffer {
  const bytes = Buffer.alloc(size, `${seed}`);
  for (let at = 0; at + 8 <= size; at += KIB) {
    bytes.writeUInt32LE(at, at);
    bytes.writeUInt32LE(seed, at + 4);
  }
  return bytes;
}

/** Objects whose last chunks are complete, tiny or nearly complete. */
const SIZES = [2048 * KIB, 2048 * KIB + 1, 3000 * KIB - 1, 4096 * KIB];

for (const name of ['koa', 'express5'] as const) {
  test(`${name}: concurrent downloads never receive data of each other`, async (t) => {
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

test('a host that replaces write may keep chunks, and need not report when they are sent', async (t) => {
  const storage = await diskStorage();
  const handle = onNode(storage, {});
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

test.serial('a tool that replaces write for all responses may keep chunks, too', async (t) => {
  const storage = await diskStorage();
  const { origin, close } = await listen(onNode(storage, {}));
  const { write } = ServerResponse.prototype;
  t.teardown(async () => {
    ServerResponse.prototype.write = write;
    await close();
    await storage.close();
  });
  const body = distinct(3000 * KIB, 1);
  await storage.as(alice).putBucket({ bucket });
  await storage.as(alice).putObject({ bucket, key: 'key', body });
  ServerResponse.prototype.write = function (this: ServerResponse, chunk: Uint8Array) {
    return Reflect.apply(write, this, [chunk]); // It drops the callback.
  };
  t.true((await call(origin, 'GET', '/bucket/key')).body.equals(body));
});

/** How middleware of the host listens to the data. */
const READERS: Readonly<Record<string, (body: Readable, see: (chunk: Buffer) => void) => void>> = {
  'a listener for data': (body, see) => void body.on('data', see),
  'a listener for readable': (body, see) =>
    void body.on('readable', () => {
      for (let chunk = body.read(); chunk !== null; chunk = body.read()) see(chunk);
    }),
  'a second pipe': (body, see) => void body.pipe(new PassThrough()).on('data', see),
};

/** When the middleware starts: before the body is piped, right after, or in the middle. */
const MOMENTS: Readonly<Record<string, (body: Readable, then: () => void) => void>> = {
  'before the pipe': (_, then) => then(),
  'after the pipe': (body, then) => afterPipe(body, then),
  'on the way': (body, then) =>
    afterPipe(body, function look() {
      if ((body as Sent).bytesSent === 0) setImmediate(look);
      else then();
    }),
};

interface Sent extends Readable {
  readonly bytesSent: number;
}

function afterPipe(body: Readable, then: () => void): void {
  const pipe = body.pipe.bind(body);
  body.pipe = (to, options) => {
    body.pipe = pipe;
    pipe(to, options);
    then();
    return to;
  };
}

test('middleware may start to listen to a body at any time: both it and the client get the right data', async (t) => {
  const storage = await diskStorage();
  const whole = distinct(8192 * KIB, 1);
  await storage.as(alice).putBucket({ bucket });
  await storage.as(alice).putObject({ bucket, key: 'key', body: whole });
  const app = new Koa();
  let seen: Buffer[] = [];
  app.use(async (ctx, next) => {
    await next();
    const [moment, reader] = String(ctx.get('x-reader')).split('/') as [string, string];
    const body = ctx.body as Readable;
    MOMENTS[moment]?.(body, () => READERS[reader]?.(body, (chunk) => seen.push(chunk)));
  });
  app.use(storageMiddleware(storage, { principal: () => alice }));
  const { origin, close } = await listen(app.callback());
  t.teardown(async () => {
    await close();
    await storage.close();
  });
  for (const moment of Object.keys(MOMENTS)) {
    for (const reader of Object.keys(READERS)) {
      seen = [];
      const headers = { 'x-reader': `${moment}/${reader}` };
      const { body } = await call(origin, 'GET', '/bucket/key', { headers });
      t.true(body.equals(whole), `${reader} ${moment}`);
      const passed = Buffer.concat(seen);
      t.true(
        passed.length > 0 && whole.subarray(-passed.length).equals(passed),
        `${reader} ${moment}`,
      );
      if (moment !== 'on the way') t.is(passed.length, whole.length, `${reader} ${moment}`);
    }
  }
});

/** Sends all chunks at the end, like a host that transforms bodies. */
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
