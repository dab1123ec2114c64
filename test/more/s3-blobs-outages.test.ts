import { BlobNotFoundError, BlobNotShareableError, BlobUnsettledError } from '@bucketware/core';
import test from 'ava';
import {
  causesOf,
  chunksOf,
  codesOf,
  keyOf,
  MEDIUM,
  MIB,
  newId,
  SHORT,
  serve,
} from '../s3-blobs/fixtures.js';
import { large, small, works } from '../s3-blobs/works.js';

const id = newId();

for (const [name, work] of Object.entries(works)) {
  test(`${name} fails within its time limit if the store does not respond, and says so`, async (t) => {
    for (const fault of [{ status: 503 }, 'cut', 'silent'] as const) {
      const { store, blobs } = await serve(t, SHORT);
      store.fault = () => fault;
      const error = await t.throwsAsync(work(blobs, store));
      t.true(codesOf(error).includes('EHOSTDOWN'));
      const messages = causesOf(error).map(({ message }) => message);
      t.regex(messages.join(), /in the bucket bucket at http.* got no usable response/);
      t.false(messages.join().includes('secret'));
    }
  });
}

test('the error of a failed write says whether it may still take effect', async (t) => {
  const { store, blobs } = await serve(t, MEDIUM);
  for (const [bytes, name] of [
    [small, 'PutObject'],
    [large, 'CompleteUpload'],
  ] as const) {
    const late = newId();
    store.fault = (seen) => (seen.name === name ? 'late' : undefined);
    await t.throwsAsync(blobs.write(late, chunksOf(bytes)), { instanceOf: BlobUnsettledError });
    await blobs.remove(late);
    store.fault = () => undefined;
    store.fault = (seen) =>
      seen.name === name ? { status: 403, code: 'AccessDenied' } : undefined;
    const refused = await t.throwsAsync(blobs.write(newId(), chunksOf(bytes)));
    t.false(refused instanceof BlobUnsettledError);
    t.regex(refused.message, /AccessDenied.*s3:PutObject/);
  }
  store.fault = (seen) => (seen.name === 'UploadPart' ? 'silent' : undefined);
  const failed = await t.throwsAsync(blobs.write(newId(), chunksOf(large)));
  t.false(failed instanceof BlobUnsettledError);
  store.arrive();
  t.is(store.objects.size, 1, 'The small one came late.');
});

test('the parts of a failed upload are removed, whichever side failed', async (t) => {
  const { store, blobs } = await serve(t);
  const failure = new Error('the client went away');
  async function* breaking() {
    yield* chunksOf(large);
    throw failure;
  }
  const error = await t.throwsAsync(blobs.write(id, breaking()));
  t.is(error, failure);
  store.fault = ({ name }, index) =>
    name === 'UploadPart' && index > 1 ? { status: 400, code: 'InvalidPart' } : undefined;
  await t.throwsAsync(blobs.write(id, chunksOf(large)), { message: /InvalidPart/ });
  const stop = new AbortController();
  store.fault = ({ name }) => {
    if (name !== 'UploadPart') return undefined;
    stop.abort(new Error('enough'));
    return 'silent';
  };
  const stopped = blobs.write(id, chunksOf(large), { signal: stop.signal });
  await t.throwsAsync(stopped, { message: 'enough' });
  await blobs.close();
  t.is(store.uploads.size, 0);
  t.is(store.objects.size, 0);
});

test('a full quota has its own error code, and is not retried', async (t) => {
  const { store, blobs } = await serve(t);
  store.fault = () => ({ status: 403, code: 'QuotaExceeded' });
  const error = await t.throwsAsync(blobs.write(id, chunksOf(small)));
  t.deepEqual(codesOf(error).slice(0, 1), ['EDQUOT']);
  t.is(store.seen.length, 1);
});

test('a large copy inside the store is made in parts, and is rejected if little of it is needed', async (t) => {
  const { store, blobs } = await serve(t, MEDIUM);
  store.objects.set(keyOf(id), large);
  await t.throwsAsync(blobs.share(id, newId(), MIB), { instanceOf: BlobNotShareableError });
  t.is(store.objects.size, 1);
  await t.throwsAsync(blobs.share(newId(), newId(), MIB), { instanceOf: BlobNotFoundError });
  store.fault = ({ name }) => (name === 'CopyObject' ? 'silent' : undefined);
  const lost = blobs.share(id, newId(), large.length);
  await t.throwsAsync(lost, { instanceOf: BlobUnsettledError });
});
