import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { BlobNotFoundError } from '@bucketware/core';
import test from 'ava';
import { chunksOf, codesOf, keyOf, MEDIUM, MIB, newId, serve } from './fixtures.js';

const bytes = randomBytes(4 * MIB);
const range = { start: 7, end: bytes.length - 7 };

test('a read that breaks off or stalls is continued at the same byte', async (t) => {
  for (const fault of ['half', 'stalled'] as const) {
    const { store, blobs } = await serve(t);
    const id = newId();
    store.objects.set(keyOf(id), bytes);
    store.fault = (_seen, index) => (index % 2 === 0 && index < 8 ? fault : undefined);
    const found = await buffer(await blobs.read(id, range));
    t.true(found.equals(bytes.subarray(range.start, range.end)));
    const starts = store.seen.map((seen) => Number(/bytes=(\d+)-/.exec(seen.range ?? '')?.[1]));
    t.deepEqual(
      starts,
      [...starts].sort((a, b) => a - b),
    );
    t.is(starts.length, 2);
    t.true((starts[1] as number) > bytes.length / 3, `continued at ${starts[1]}`);
  }
});

test('a read without progress eventually fails', async (t) => {
  const { store, blobs } = await serve(t, MEDIUM);
  const id = newId();
  store.objects.set(keyOf(id), bytes);
  store.fault = (_seen, index) => (index > 0 ? 'cut' : 'half');
  const error = await t.throwsAsync(buffer(await blobs.read(id, range)));
  t.true(codesOf(error).includes('EHOSTDOWN'));
});

test('a read is not continued with different data, or with none', async (t) => {
  const { store, blobs } = await serve(t);
  const id = newId();
  store.objects.set(keyOf(id), bytes);
  store.fault = (_seen, index) => {
    if (index === 1) store.objects.set(keyOf(id), randomBytes(bytes.length));
    return index === 0 ? 'half' : undefined;
  };
  await t.throwsAsync(buffer(await blobs.read(id, range)), { message: /PreconditionFailed/ });
  store.seen.length = 0;
  store.fault = (_seen, index) => {
    if (index === 1) store.objects.clear();
    return index === 0 ? 'half' : undefined;
  };
  await t.throwsAsync(buffer(await blobs.read(id, range)), { message: /NoSuchKey/ });
  await t.throwsAsync(blobs.read(id, range), { instanceOf: BlobNotFoundError });
});

test('responses that do not match the request are failures', async (t) => {
  const { store, blobs } = await serve(t);
  const id = newId();
  await blobs.write(id, chunksOf(bytes));
  store.fault = () => ({ status: 200, body: '<p>Hi' });
  for (const one of [range, { start: 7, end: 70 }]) {
    await t.throwsAsync(blobs.read(id, one), { message: /other bytes/ });
  }
  await t.throwsAsync(blobs.list()[Symbol.asyncIterator]().next());
});

test('a response that never ends is a failure, and is not read any further', async (t) => {
  const { store, blobs } = await serve(t, MEDIUM);
  const id = newId();
  for (const key of [keyOf(id), 'pre/fix/storage.json']) store.objects.set(key, bytes);
  store.fault = () => 'endless';
  const reading = async () => buffer(await blobs.read(id, { start: 7, end: 70 }));
  await t.throwsAsync(reading, { message: /more bytes than were requested/ });
  await t.throwsAsync(blobs.identity(), { message: /storage.json .* is damaged/ });
  t.is(store.seen.length, 2);
});

const truncated = (content = ''): string =>
  `<ListBucketResult><IsTruncated>true</IsTruncated>${content}</ListBucketResult>`;
const tokenOf = (token: string) => `<NextContinuationToken>${token}</NextContinuationToken>`;

test('a listing continues after pages without objects', async (t) => {
  const { store, blobs } = await serve(t);
  const keys = Array.from({ length: 250 }, () => keyOf(newId())).sort();
  for (const key of keys) store.objects.set(key, Buffer.from(key));
  const last = keys[99] as string; // A page has 100 objects.
  const empty: Record<number, string> = { 0: 'a', 2: last, 3: `${last}-` };
  store.fault = (_seen, index) =>
    empty[index] === undefined
      ? undefined
      : { status: 200, body: truncated(tokenOf(empty[index])) };
  const found: string[] = [];
  for await (const { id } of blobs.list()) found.push(keyOf(id));
  t.deepEqual(found, keys);
  t.is(store.seen.length, 6);
});

test('a listing that the store does not continue is a failure, not the end', async (t) => {
  const { store, blobs } = await serve(t);
  const same = `<Contents><Key>${keyOf(newId())}</Key><Size>1</Size></Contents>`;
  for (const page of ['', tokenOf('same'), same]) {
    store.fault = () => ({ status: 200, body: truncated(page) });
    const listing = async () => {
      for await (const _ of blobs.list());
    };
    await t.throwsAsync(listing, { message: /listing of the bucket .* is incomplete/ });
  }
});

test('an unread or abandoned stream releases its connection', async (t) => {
  const { store, blobs } = await serve(t);
  const id = newId();
  store.objects.set(keyOf(id), bytes);
  const unread = await blobs.read(id, range);
  const begun = await blobs.read(id, range);
  await begun[Symbol.asyncIterator]().next();
  for (const stream of [unread, begun]) {
    stream.destroy();
    t.true(stream.destroyed);
  }
  await blobs.close();
  await t.notThrowsAsync(store.close());
});
