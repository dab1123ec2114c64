import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { StorageError } from '@bucketware/core';
import test from 'ava';
import { onDisk } from './open-files.js';
import { memoryStorage } from './servers.js';

const bucket = 'bucket';
const TEXT = 'grün 😀 '.repeat(30_000);
const BYTES = Buffer.from(TEXT);

const web = (...chunks: unknown[]) =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });

test('a body is text, bytes of any kind, a Blob, a stream or an iterable of either', async (t) => {
  const { storage, path } = await onDisk(t);
  const file = join(path, 'file');
  await writeFile(file, BYTES);
  const half = TEXT.indexOf('😀') + 1;
  const own = BYTES.buffer.slice(BYTES.byteOffset, BYTES.byteOffset + BYTES.length) as ArrayBuffer;
  async function* reused() {
    const chunk = new Uint8Array(70_000);
    for (let at = 0; at < BYTES.length; at += chunk.length) {
      const part = BYTES.subarray(at, at + chunk.length);
      chunk.set(part);
      yield chunk.subarray(0, part.length);
    }
  }
  const bodies = {
    text: TEXT,
    buffer: BYTES,
    ArrayBuffer: own,
    DataView: new DataView(own),
    Uint16Array: new Uint16Array(own.slice(0, own.byteLength & ~1)),
    Blob: new Blob([BYTES]),
    File: new File([TEXT], 'name'),
    'file of bytes': createReadStream(file),
    'file of text': createReadStream(file, 'utf8'),
    'file of text in small pieces': createReadStream(file, { encoding: 'utf8', highWaterMark: 61 }),
    'stream of text': Readable.from([TEXT.slice(0, half), TEXT.slice(half)]),
    'web stream of bytes': web(BYTES.subarray(0, 5), BYTES.subarray(5)),
    'web stream of text': web(TEXT.slice(0, half), TEXT.slice(half)),
    'web stream of a Blob': new Blob([BYTES]).stream(),
    'async iterable of one buffer': reused(),
    'array of chunks': [TEXT.slice(0, half), TEXT.slice(half), new ArrayBuffer(0)],
  };
  for (const [key, body] of Object.entries(bodies)) {
    await storage.putObject({ bucket, key, body });
    const expected = key === 'Uint16Array' ? BYTES.subarray(0, BYTES.length & ~1) : BYTES;
    const found = await storage.getObject({ bucket, key });
    t.true(expected.equals(await found.bytes()), key);
  }
  const large = { bucket, key: 'key', body: createReadStream(file), contentLength: BYTES.length };
  t.is((await storage.putObject(large)).size, BYTES.length);
});

test('any other body is InvalidArgument, and so is any other chunk', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket });
  const put = (body: unknown) => storage.putObject({ bucket, key: 'key', body: body as string });
  for (const body of [undefined, null, 5, true, {}, new Date(), () => 'x', Symbol('x')]) {
    const error = await t.throwsAsync<StorageError>(put(body), { instanceOf: StorageError });
    t.is(error?.code, 'InvalidArgument');
    t.regex(String(error?.message), /string, a Buffer .* Blob, a stream/);
  }
  for (const body of [[1, 2], ['x', null], web({}), Readable.from([{}]), new Map([['a', 1]])]) {
    const error = await t.throwsAsync<StorageError>(put(body), { instanceOf: StorageError });
    t.regex(String(error?.message), /chunks of a body must be strings or bytes/);
  }
  await t.throwsAsync(storage.getObject({ bucket, key: 'key' }), { message: /no object/ });
});

/** TypeScript's ES2023 does not describe resizable buffers. */
const Resizable = ArrayBuffer as unknown as new (
  length: number,
  options: { readonly maxByteLength: number },
) => ArrayBuffer & { resize(length: number): void };

const resizable = (length: number) => new Resizable(length, { maxByteLength: length });

test('a view whose data has moved to a worker, or out of its buffer, is no empty body', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket });
  const detached = (Type: Uint8ArrayConstructor | Uint16ArrayConstructor) => {
    const view = new Type(4);
    structuredClone(view.buffer, { transfer: [view.buffer] });
    return view;
  };
  const buffer = resizable(8);
  const outside = new Uint8Array(buffer, 4, 4);
  buffer.resize(2);
  const bodies = { detached: detached(Uint8Array), words: detached(Uint16Array), outside };
  for (const [name, body] of Object.entries(bodies)) {
    await storage.putObject({ bucket, key: name, body: 'kept' });
    for (const form of [body, [body], ['text', body], Readable.from([body]), web(body)]) {
      const put = storage.putObject({ bucket, key: name, body: form as never });
      await t.throwsAsync(put, { message: /transferred to a worker/ }, name);
    }
    t.is(await (await storage.getObject({ bucket, key: name })).text(), 'kept', name);
  }
  await storage.putObject({ bucket, key: 'empty', body: [new Uint8Array(0), Buffer.alloc(0)] });
  t.is((await storage.getObject({ bucket, key: 'empty' })).size, 0);
});

test('a resizable buffer that is cut off right after the call fails it', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket });
  await storage.putObject({ bucket, key: 'key', body: 'kept' });
  for (const view of [false, true]) {
    const buffer = resizable(2_000_000);
    const put = storage.putObject({
      bucket,
      key: 'key',
      body: view ? new Uint8Array(buffer) : buffer,
    });
    buffer.resize(1_000_000);
    await t.throwsAsync(put, { message: /has 1000000 bytes, but 2000000/ });
  }
  t.is(await (await storage.getObject({ bucket, key: 'key' })).text(), 'kept');
});

test('bytes that move to a worker while they are stored fail the call, and say so', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket });
  await storage.putObject({ bucket, key: 'key', body: 'kept' });
  const body = new Uint8Array(1024 * 1024);
  const put = storage.putObject({ bucket, key: 'key', body });
  structuredClone(body.buffer, { transfer: [body.buffer] });
  await t.throwsAsync(put, { code: 'InvalidArgument', message: /transferred to a worker/ });
  t.is(await (await storage.getObject({ bucket, key: 'key' })).text(), 'kept');
});

test('a body that is longer than announced is read no further', async (t) => {
  const { storage } = await onDisk(t);
  for (const [size, contentLength] of [
    [1, 10],
    [65_536, 10],
    [65_536, 2_000_000],
  ] as const) {
    let read = 0;
    let isClosed = false;
    async function* endless() {
      try {
        for (;;) {
          read += size;
          yield Buffer.alloc(size);
          if (read % 1_000_000 < size) await new Promise(setImmediate);
        }
      } finally {
        isClosed = true;
      }
    }
    const call = storage.putObject({ bucket, key: 'long', body: endless(), contentLength });
    await t.throwsAsync(call, { message: /more bytes than the \d+ announced/ });
    t.true(isClosed);
    t.true(read <= contentLength + 10 * size, `${read}`);
  }
});

test('a rejected stream is destroyed, and one that fails does not end the process', async (t) => {
  const { storage, path, closed } = await onDisk(t);
  const file = join(path, 'file');
  await writeFile(file, BYTES);
  const refused = [
    { bucket: 'missing' },
    { bucket: 'No' },
    { key: '' },
    { contentType: 5 },
    { contentTypo: 'a/b' },
    { contentLength: -1 },
    { contentLength: 5 },
    { contentMd5: 'no' },
    { ifMatch: 'other' },
  ];
  for (const params of refused) {
    const body = createReadStream(file);
    const given = { bucket, key: 'key', body, ...params } as Parameters<
      typeof storage.putObject
    >[0];
    await t.throwsAsync(storage.putObject(given), { instanceOf: StorageError }, inspect(params));
    t.true(body.destroyed, inspect(params));
  }
  let cancelled = 0;
  let ended = 0;
  const stream = new ReadableStream({ cancel: () => void cancelled++ });
  async function* chunks() {
    try {
      yield 'x';
    } finally {
      ended++;
    }
  }
  const begun = chunks();
  await begun.next();
  for (const body of [stream, begun]) {
    await t.throwsAsync(storage.putObject({ bucket: 'missing', key: 'key', body }));
  }
  t.deepEqual([cancelled, ended], [1, 1]);
  const missing = () => createReadStream(join(path, 'missing'));
  for (const given of [{ bucket }, { bucket: 'missing' }]) {
    const error = storage.putObject({ ...given, key: 'key', body: missing() });
    await t.throwsAsync(error, { code: given.bucket === bucket ? 'ENOENT' : 'NoSuchBucket' });
  }
  await sleep(20);
  t.true(await closed());
});

test('an aborted signal ends a call whose source delivers no more data, and ends the source', async (t) => {
  const { storage } = await onDisk(t);
  const { uploadId } = await storage.initiateMultipartUpload({ bucket, key: 'upload' });
  await storage.appendObject({ bucket, key: 'log', body: 'x' });
  type Given = Pick<Parameters<typeof storage.putObject>[0], 'body' | 'signal'>;
  const calls: Readonly<Record<string, (given: Given) => Promise<unknown>>> = {
    putObject: (given) => storage.putObject({ bucket, key: 'put', ...given }),
    appendObject: (given) => storage.appendObject({ bucket, key: 'new', ...given }),
    'appendObject with offset': (given) =>
      storage.appendObject({ bucket, key: 'log', offset: 1, ...given }),
    uploadPart: (given) =>
      storage.uploadPart({ bucket, key: 'upload', uploadId, partNumber: 1, ...given }),
  };
  const sizes = [0, 10, 2_000_000];
  for (const [name, call] of Object.entries(calls)) {
    for (const size of sizes) {
      const reason = new Error(`${name} of ${size} bytes`);
      const stalled = new Readable({ read() {} });
      if (size > 0) stalled.push(Buffer.alloc(size));
      const cancelled: unknown[] = [];
      const stalledWeb = new ReadableStream({
        start: (controller) => size > 0 && controller.enqueue(Buffer.alloc(size)),
        cancel: (why) => void cancelled.push(why),
      });
      for (const body of [stalled, stalledWeb, stuckAfter(size)]) {
        const controller = new AbortController();
        const failure = t.throwsAsync(call({ body, signal: controller.signal }));
        await sleep(size > 0 ? 20 : 1);
        controller.abort(reason);
        t.is(await failure, reason);
      }
      t.true(stalled.destroyed);
      t.deepEqual(cancelled, [reason]);

      const late = Readable.from([Buffer.alloc(size)]);
      const error = t.throwsAsync(call({ body: late, signal: AbortSignal.abort(reason) }));
      t.is(await error, reason);
      t.true(late.destroyed);
      const whole = { body: 'x'.repeat(size), signal: AbortSignal.abort(reason) };
      t.is(await t.throwsAsync(call(whole)), reason);
    }
  }
  const { contents } = await storage.listObjects({ bucket });
  const names = contents.map(({ key, size }) => [key, size]);
  t.deepEqual(names, [
    ['large', 3_000_000],
    ['log', 1],
  ]);
  const quiet = { bucket, key: 'put', body: 'x', signal: 'no' as never };
  await t.throwsAsync(storage.putObject(quiet), { code: 'InvalidArgument' });
  // A signal that aborts afterwards changes nothing.
  const controller = new AbortController();
  for (const body of ['text', new Blob(['text']), Readable.from(['text']), web('te', 'xt')]) {
    await storage.putObject({ bucket, key: 'put', body, signal: controller.signal });
    t.is(await (await storage.getObject({ bucket, key: 'put' })).text(), 'text');
  }
  controller.abort();
});

/** A generator that waits forever. It cannot be ended, but the call must not wait for it. */
async function* stuckAfter(size: number): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(size);
  await new Promise(() => {});
}

test('unread results keep no file open', async (t) => {
  const { storage, open, closed } = await onDisk(t, { readTimeout: 200 });
  const results = await Promise.all(
    Array.from({ length: 200 }, () => storage.getObject({ bucket, key: 'large' })),
  );
  const webs = results.slice(0, 20).map((result) => result.stream());
  await sleep(30);
  t.is(await open(), 0);
  t.is((await (results[30] as (typeof results)[0]).bytes()).length, 3_000_000);

  const bodies = results.slice(100, 105).map(({ body }) => body);
  const readers = webs.slice(0, 5).map((stream) => stream.getReader());
  for (const body of bodies) {
    body.once('readable', () => {});
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const reader of readers) t.true(((await reader.read()).value?.length ?? 0) > 0);
  t.true((await open()) > 0);
  t.true(await closed());
  for (const body of bodies) {
    await t.throwsAsync(buffer(body), { code: 'RequestTimeout', message: /200 milliseconds/ });
  }
  const { body } = await storage.getObject({ bucket, key: 'large' });
  let size = 0;
  for await (const chunk of body) {
    size += (chunk as Buffer).length;
    if (size < 1_000_000) await sleep(60);
  }
  t.is(size, 3_000_000);
});

test('a result is read as text, JSON, bytes, an ArrayBuffer, a Node stream or a web stream', async (t) => {
  const { storage } = await onDisk(t);
  const json = { greeting: TEXT };
  for (const [key, value] of Object.entries({ small: { a: 'é' }, large: json })) {
    await storage.putObject({ bucket, key, body: JSON.stringify(value) });
    const get = () => storage.getObject({ bucket, key });
    const expected = JSON.stringify(value);
    t.is(await (await get()).text(), expected);
    t.deepEqual(await (await get()).json(), value);
    t.is(Buffer.from(await (await get()).arrayBuffer()).toString(), expected);
    t.is(await new Response((await get()).stream()).text(), expected);
    const found = await get();
    t.is(found.body, found.body);
    t.is((await buffer(found.body)).toString(), expected);
  }
  const twice = await storage.getObject({ bucket, key: 'large' });
  await twice.bytes();
  await t.throwsAsync(twice.text(), { instanceOf: TypeError, message: /already read/ });
});

test('an object that was replaced before its data was read can be read until the read grace period is over', async (t) => {
  const { storage } = await onDisk(t, { readGrace: 0 });
  const first = await storage.getObject({ bucket, key: 'large' });
  const second = await storage.getObject({ bucket, key: 'large' });
  await storage.putObject({ bucket, key: 'large', body: 'other' });
  t.is((await first.bytes()).length, 3_000_000);
  await storage.sweep();
  const message = /replaced or deleted after getObject/;
  await t.throwsAsync(second.bytes(), { instanceOf: StorageError, message });
});
