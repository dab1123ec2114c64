import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { BlobNotFoundError } from '@bucketware/core';
import test from 'ava';
import { block, createFixture, delegate, outcome, read, uploadOf } from './soundness.js';

const bucket = 'whole';
const key = 'key';
const [a, b] = [block('a'), block('b')];

test('an object of 200 parts returns the right data for ranges across part boundaries', async (t) => {
  const place = await createFixture();
  await place.storage.putBucket({ bucket });
  const bodies = Array.from({ length: 200 }, (_, at) => Buffer.alloc(102_400 + at * 7, at));
  const whole = Buffer.concat(bodies);
  await (await uploadOf(place.storage, bucket, key, bodies)).complete();
  t.true((await read(place.storage, bucket, key))?.equals(whole));
  let border = 0;
  for (const [at, { length }] of bodies.entries()) {
    const [start, end] = [Math.max(border - 1 - at * 900, 0), border + at * 300];
    const range = `bytes=${start}-${end}`;
    const found = await (await place.storage.getObject({ bucket, key, range })).bytes();
    t.true(found.equals(whole.subarray(start, end + 1)), range);
    border += length;
  }
  for (const range of ['bytes=-1', `bytes=${whole.length - 1}-`, `bytes=0-0`]) {
    t.is((await (await place.storage.getObject({ bucket, key, range })).bytes()).length, 1);
  }
  const { blobs, records } = await place.settle();
  t.deepEqual([blobs, records], [200, { a: 0, i: 0, m: 1, u: 0, p: 0, c: 0, g: 0 }]);
  await place.close();
});

test('a completion can be repeated for a day', async (t) => {
  const place = await createFixture();
  await place.storage.putBucket({ bucket });
  const { complete } = await uploadOf(place.storage, bucket, key, [a, b]);
  const first = await complete();
  place.wait(0.99);
  await place.storage.sweep();
  t.deepEqual(await complete(), first);
  place.wait(0.02);
  await place.storage.sweep();
  t.is(await outcome(complete()), 'NoSuchUpload');
  await place.close();
});

test('lost data of an existing object is InternalError, not NoSuchKey', async (t) => {
  const place = await createFixture({
    blobs: (blobs) => ({
      ...delegate(blobs),
      read: async (id) => {
        throw new BlobNotFoundError(id);
      },
    }),
  });
  await place.storage.putBucket({ bucket });
  await place.storage.putObject({ bucket, key, body: a });
  t.is(await outcome(place.storage.getObject({ bucket, key })), 'InternalError');
  await place.close();
});

test('an abandoned download, begun or not, leaves no file open', async (t) => {
  const opened: Readable[] = [];
  const place = await createFixture({
    blobs: (blobs) => ({
      ...delegate(blobs),
      async read(id, range) {
        const stream = await blobs.read(id, range);
        opened.push(stream);
        return stream;
      },
    }),
  });
  await place.storage.putBucket({ bucket });
  const parts = Array.from({ length: 8 }, () => block('a', 600_000));
  await (await uploadOf(place.storage, bucket, key, parts)).complete();
  for (const chunks of [0, 1, 5]) {
    const { body } = await place.storage.getObject({ bucket, key });
    const iterator = body[Symbol.asyncIterator]();
    for (let at = 0; at < chunks; at++) await iterator.next();
    body.destroy();
  }
  await (await place.storage.getObject({ bucket, key })).bytes();
  await (await place.storage.getObject({ bucket, key, range: 'bytes=9-200000' })).bytes();
  t.true(opened.length > 10);
  for (let wait = 0; wait < 100 && !opened.every(({ closed }) => closed); wait++) await sleep(10);
  t.true(opened.every(({ closed }) => closed));
  await place.close();
});

test('a stream ends after its last byte, not when its file is closed', async (t) => {
  const closing: (() => void)[] = [];
  const place = await createFixture({
    blobs: (blobs) => ({
      ...delegate(blobs),
      read: async (id, range) => {
        const stream = await blobs.read(id, range);
        const wait = (_: unknown, done: () => void) => void closing.push(done);
        return Object.assign(stream, { _destroy: wait });
      },
    }),
  });
  await place.storage.putBucket({ bucket });
  for (const size of [200_000, 900_000]) {
    await place.storage.putObject({ bucket, key, body: block('x', size) });
    const whole = read(place.storage, bucket, key);
    const found = await Promise.race([whole, sleep(20_000, undefined, { ref: false })]);
    t.is(found?.length, size);
  }
  for (const close of closing) close();
  await place.close();
});

for (const size of [1_000, 100_000]) {
  test(`a program may reuse one buffer for all chunks of ${size} bytes`, async (t) => {
    const place = await createFixture();
    const { storage } = place;
    await storage.putBucket({ bucket });
    const letters = Array.from('abcdefghijklmnopqrst');
    async function* body() {
      const buffer = Buffer.alloc(size);
      for (const letter of letters) yield buffer.fill(letter);
    }
    await storage.putObject({ bucket, key, body: body() });
    const found = await (await storage.getObject({ bucket, key })).bytes();
    t.true(found.equals(Buffer.concat(letters.map((letter) => block(letter, size)))));
    await place.close();
  });
}
