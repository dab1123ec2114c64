import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { StorageError } from '@bucketware/core';
import test from 'ava';
import express from 'express';
import express4 from 'express4';
import { onDisk } from './open-files.js';
import { call } from './raw.js';
import { listen, memoryStorage } from './servers.js';

const bucket = 'bucket';
const key = 'key';

const refused = { code: 'InvalidArgument' };

test('a stream that has been read, locked or destroyed does not replace an object', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket });
  await storage.putObject({ bucket, key, body: 'precious' });
  const read = Readable.from(['bytes']);
  for await (const _ of read);
  const halfRead = new PassThrough();
  halfRead.end('some bytes');
  halfRead.read(4);
  const locked = new Blob(['bytes']).stream();
  locked.getReader();
  const disturbed = new Blob(['bytes']).stream();
  const reader = disturbed.getReader();
  await reader.read();
  reader.releaseLock();
  const cancelled = new Blob(['bytes']).stream();
  await cancelled.cancel();
  const bodies = { read, halfRead, destroyed: new PassThrough().destroy(), locked, disturbed };
  for (const [name, body] of Object.entries({ ...bodies, cancelled })) {
    const error = await t.throwsAsync<StorageError>(
      storage.putObject({ bucket, key, body }),
      refused,
      name,
    );
    t.regex(String(error?.message), /Pass the data .* before body parsers/, name);
    if (body instanceof Readable) t.true(body.destroyed, name);
  }
  t.is(await (await storage.getObject({ bucket, key })).text(), 'precious');
});

for (const [name, framework] of Object.entries({ 'Express 5': express, 'Express 4': express4 })) {
  test(`${name}: a route that stores a parsed request leaves the old object unchanged`, async (t) => {
    const storage = await memoryStorage();
    await storage.putBucket({ bucket });
    await storage.putObject({ bucket, key, body: 'precious' });
    const app = framework();
    app.use(framework.text());
    app.put('/', async (req, res) => {
      const failed = await storage.putObject({ bucket, key, body: req }).catch((error) => error);
      res.status(failed.status ?? 200).send(failed.code);
    });
    const { origin, close } = await listen(app);
    t.teardown(close);
    const put = (type: string, body: string) =>
      call(origin, 'PUT', '/', { headers: { 'content-type': type }, body });
    const text = async () => (await storage.getObject({ bucket, key })).text();
    const answer = await put('text/plain', 'lost');
    t.like(answer, { status: 400, text: 'InvalidArgument' });
    t.is(await text(), 'precious');
    t.is((await put('text/html', 'stored')).status, 200);
    t.is(await text(), 'stored');
    t.is((await put('text/html', '')).status, 200);
    t.is(await text(), '');
  });
}

test('a route that stores a request can respond when the storage rejects it', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket });
  const app = express();
  app.put('/:bucket', async (req, res) => {
    const params = { bucket: req.params.bucket, key, body: req, ifMatch: 'other' };
    const refusal = await storage.putObject(params).catch((error) => error);
    res.status(refusal.status).send(refusal.code);
  });
  const { origin, close } = await listen(app);
  t.teardown(close);
  for (const size of [10, 300_000, 3_000_000]) {
    const put = (name: string) => call(origin, 'PUT', `/${name}`, { body: Buffer.alloc(size) });
    t.like(await put('missing'), { status: 404, text: 'NoSuchBucket' });
    t.like(await put(bucket), { status: 412, text: 'PreconditionFailed' });
  }
});

test('a response of another server is closed when it is rejected as a body', async (t) => {
  const storage = await memoryStorage();
  const app = express();
  app.get('/', (_req, res) => void res.write('endless'));
  const { origin, close } = await listen(app);
  t.teardown(close);
  const [body] = (await once(get(origin), 'response')) as [IncomingMessage];
  const refused = storage.putObject({ bucket: 'missing', key, body });
  await t.throwsAsync(refused, { code: 'NoSuchBucket' });
  t.true(body.destroyed);
});

test('a body that can be read once is stored once, even if two calls get it at the same time', async (t) => {
  const { storage, path } = await onDisk(t);
  await writeFile(join(path, 'file'), Buffer.alloc(300_000, 'a'));
  const bodies = {
    file: () => createReadStream(join(path, 'file')),
    stream: () => Readable.from(['a'.repeat(200_000), 'a'.repeat(100_000)]),
    web: () => new Blob(['a'.repeat(300_000)]).stream(),
    generator: () =>
      (function* () {
        yield 'a'.repeat(300_000);
      })(),
    iterator: () => ['a'.repeat(300_000)].values(),
  };
  for (const [name, make] of Object.entries(bodies)) {
    const body = make();
    const put = () => storage.putObject({ bucket, key: name, body });
    const [first, second] = await Promise.allSettled([put(), put()]);
    t.like(first, { status: 'fulfilled', value: { size: 300_000 } }, name);
    t.like(second, { status: 'rejected', reason: refused }, name);
    await t.throwsAsync(put(), refused, name);
    t.is((await storage.getObjectMeta({ bucket, key: name })).size, 300_000);
  }
});

test('a program may change its buffer while it is stored, and the object is still readable', async (t) => {
  const { storage } = await onDisk(t);
  const streamed = (bytes: Buffer) => {
    const stream = new PassThrough();
    stream.end(bytes);
    return stream;
  };
  const same = (bytes: Buffer) => bytes;
  const bodies = [same, streamed, (bytes: Buffer) => Readable.from([bytes])];
  for (const size of [1000, 60_000, 200_000, 3_000_000]) {
    for (const make of bodies) {
      for (let turns = 0; turns < 12; turns += 1) {
        const bytes = Buffer.alloc(size, 1);
        const stored = storage.putObject({ bucket, key, body: make(bytes) });
        for (let taken = 0; taken < turns; taken++) await turn();
        bytes.fill(2);
        const { etag } = await stored;
        const found = await storage.getObject({ bucket, key });
        t.is((await found.bytes()).length, size);
        t.is(found.etag, etag);
      }
    }
  }
});
