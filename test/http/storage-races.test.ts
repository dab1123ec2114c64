import type { MetadataStore } from '@bucketware/core';
import test from 'ava';
import { block, createFixture, outcome, read, uploadOf } from './soundness.js';

const bucket = 'races';
const key = 'key';
const [a, b] = [block('a'), block('b')];

/** Runs `meanwhile` once, just before a record of the kind is read. */
function interrupted(kind: string) {
  let meanwhile: (() => Promise<unknown>) | undefined;
  const at = async (key: string): Promise<void> => {
    if (!key.startsWith(`${kind}/`)) return;
    const act = meanwhile;
    meanwhile = undefined;
    await act?.();
  };
  const metadata = (inner: MetadataStore): MetadataStore => ({
    async get(key) {
      await at(key);
      return inner.get(key);
    },
    async getMany(keys) {
      for (const key of keys) await at(key);
      return inner.getMany(keys);
    },
    async list(range) {
      await at(range.prefix);
      return inner.list(range);
    },
    commit: (change) => inner.commit(change),
    close: () => inner.close(),
  });
  return { metadata, next: (act: () => Promise<unknown>) => (meanwhile = act) };
}

for (const [kind, what] of [
  ['u', 'the upload'],
  ['o', 'the object'],
  ['p', 'the parts'],
] as const) {
  for (const ifNoneMatch of [undefined, '*']) {
    const given = ifNoneMatch === undefined ? '' : ' with If-None-Match';
    test(`two completions${given} return the same when one ends as the other reads ${what}`, async (t) => {
      const { metadata, next } = interrupted(kind);
      const place = await createFixture({ metadata });
      await place.storage.putBucket({ bucket });
      const { upload, parts } = await uploadOf(place.storage, bucket, key, [a, b]);
      const complete = () =>
        place.storage.completeMultipartUpload({ ...upload, parts, ifNoneMatch });
      let first: unknown;
      next(async () => {
        first = await complete();
      });
      t.deepEqual(await complete(), first as never);
      t.true((await read(place.storage, bucket, key))?.equals(Buffer.concat([a, b])));
      const { missing, orphans, blobs } = await place.settle();
      t.deepEqual([missing, orphans, blobs], [[], [], 2]);
      await place.close();
    });
  }

  test(`a completion finds no upload when an abort ends as it reads ${what}`, async (t) => {
    const { metadata, next } = interrupted(kind);
    const place = await createFixture({ metadata });
    await place.storage.putBucket({ bucket });
    const { complete, abort } = await uploadOf(place.storage, bucket, key, [a, b]);
    next(async () => {
      await abort();
      await place.storage.sweep();
    });
    t.is(await outcome(complete()), 'NoSuchUpload');
    t.is(await read(place.storage, bucket, key), undefined);
    t.is((await place.settle()).blobs, 0);
    await place.close();
  });
}
