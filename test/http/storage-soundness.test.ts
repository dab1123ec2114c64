import type { ObjectStorage } from '@bucketware/core';
import test from 'ava';
import { block, createFixture, type Fixture, outcome, read, uploadOf } from './soundness.js';

const bucket = 'sound';
const key = 'key';

interface Expected {
  readonly blobs: number;
  readonly records?: Readonly<Record<string, number>>;
}

const NO_RECORDS = { a: 0, i: 0, m: 0, u: 0, p: 0, c: 0, g: 0 };

/** Asserts that an operation leaves only the blobs and records that are needed. */
function leaves(
  name: string,
  { blobs, records }: Expected,
  act: (storage: ObjectStorage, fixture: Fixture) => Promise<unknown>,
  objects?: Readonly<Record<string, Uint8Array>>,
): void {
  test(`${name} leaves only what is needed`, async (t) => {
    const place = await createFixture();
    await place.storage.putBucket({ bucket });
    await act(place.storage, place);
    const left = await place.settle();
    t.deepEqual([left.missing, left.orphans], [[], []]);
    t.is(left.blobs, blobs);
    t.deepEqual(left.records, { ...NO_RECORDS, ...records });
    for (const [name, bytes] of Object.entries(objects ?? {})) {
      t.true((await read(place.storage, bucket, name))?.equals(bytes), name);
    }
    t.is((await place.settle()).blobs, blobs);
    await place.close();
  });
}

const [a, b, c] = [block('a'), block('b'), block('c')];
const bad = { contentMd5: '1B2M2Y8AsgTpgAmY7PhCfg==' };

async function* broken() {
  yield block('x');
  throw new Error('The client went away.');
}

const put = (storage: ObjectStorage, name: string, body: string | Uint8Array) =>
  storage.putObject({ bucket, key: name, body });
const append = (storage: ObjectStorage, body: string | Uint8Array, offset?: number) =>
  storage.appendObject({ bucket, key, body, ...(offset === undefined ? {} : { offset }) });

leaves(
  'PutObject over objects large and small',
  { blobs: 1, records: { i: 1 } },
  async (s) => {
    for (const body of [a, 'small', b, c]) await put(s, key, body);
    for (const body of [a, 'small', '', 'tiny']) await put(s, 'other', body);
  },
  { [key]: c, other: Buffer.from('tiny') },
);

leaves('DeleteObject', { blobs: 0 }, async (s) => {
  await put(s, key, a);
  await put(s, 'inline', 'x');
  await (await uploadOf(s, bucket, 'parts', Array(70).fill(a))).complete();
  for (const name of [key, 'inline', 'parts']) await s.deleteObject({ bucket, key: name });
});

leaves(
  'a completion with replaced and unlisted parts',
  { blobs: 2 },
  async (s) => {
    const { upload, parts } = await uploadOf(s, bucket, key, [a, a, b, c]);
    const { etag: eTag } = await s.uploadPart({ ...upload, partNumber: 1, body: c });
    const list = [{ partNumber: 1, eTag }, ...parts.slice(2, 3)];
    await s.completeMultipartUpload({ ...upload, parts: list });
  },
  { [key]: Buffer.concat([c, b]) },
);

leaves('an abort', { blobs: 0 }, async (s) => (await uploadOf(s, bucket, key, [a, b])).abort());

leaves('a completion that fails', { blobs: 2, records: { u: 1, p: 2 } }, async (s, place) => {
  const { upload, parts } = await uploadOf(s, bucket, key, [a, b]);
  const list = parts.toReversed();
  for (const wrong of [list, [{ partNumber: 1, eTag: 'no' }], []]) {
    await outcome(s.completeMultipartUpload({ ...upload, parts: wrong }));
  }
  place.wait(400);
});

leaves(
  'what was refused',
  { blobs: 1, records: { u: 1 } },
  async (s) => {
    await append(s, a);
    const { upload } = await uploadOf(s, bucket, key, []);
    const large = block('x', 1_200_000);
    for (const bodyOf of [() => a, () => large, broken]) {
      await outcome(s.putObject({ bucket, key, body: bodyOf(), ...bad }));
      await outcome(s.appendObject({ bucket, key, body: bodyOf(), ...bad }));
      await outcome(s.appendObject({ bucket, key, body: bodyOf(), offset: a.length, ...bad }));
      await outcome(s.uploadPart({ ...upload, partNumber: 1, body: bodyOf(), ...bad }));
    }
    for (const contentLength of [1, 200_000]) {
      await outcome(s.putObject({ bucket, key, body: a, contentLength }));
      await outcome(s.uploadPart({ ...upload, partNumber: 1, body: a, contentLength }));
    }
  },
  { [key]: a },
);

leaves(
  'CopyObject',
  { blobs: 3, records: { i: 1 } },
  async (s) => {
    await put(s, key, a);
    await put(s, 'inline', 'x');
    for (const to of ['copy', 'copy', 'other']) {
      await s.copyObject({ bucket, key: to, source: { bucket, key } });
    }
    const many = await uploadOf(s, bucket, 'many', Array(70).fill(a));
    await many.complete();
    await s.copyObject({ bucket, key: 'copies', source: { bucket, key: 'many' } });
    await s.deleteObject({ bucket, key: 'many' });
    await s.copyObject({ bucket, key: 'copies', source: { bucket, key: 'inline' } });
    await outcome(s.copyObject({ bucket, key: 'no', source: { bucket, key: 'missing' } }));
    await outcome(s.copyObject({ bucket, key: 'no', source: { bucket, key }, ifMatch: 'no' }));
    await s.deleteObject({ bucket, key: 'inline' });
    await (await uploadOf(s, bucket, 'many', Array(70).fill(a))).complete();
    await s.copyObject({ bucket, key: 'last', source: { bucket, key: 'many' } });
    for (const name of ['last', 'many']) await s.deleteObject({ bucket, key: name });
    await (await uploadOf(s, bucket, 'gone', Array(70).fill(''))).abort();
  },
  { copy: a, other: a },
);

leaves(
  'UploadPartCopy',
  { blobs: 2 },
  async (s) => {
    await put(s, 'source', Buffer.concat([a, b]));
    const { upload } = await uploadOf(s, bucket, key, []);
    const source = { bucket, key: 'source' };
    const part = (partNumber: number, range?: string) =>
      s.uploadPartCopy({ ...upload, partNumber, source, range });
    const one = await part(1, `bytes=0-${a.length - 1}`);
    await part(2);
    const two = await part(2, `bytes=-${b.length}`);
    await outcome(part(3, 'bytes=999999-'));
    await s.deleteObject(source);
    const parts = [one, two].map(({ etag: eTag }, at) => ({ partNumber: at + 1, eTag }));
    await s.completeMultipartUpload({ ...upload, parts });
  },
  { [key]: Buffer.concat([a, b]) },
);

leaves(
  'RenameObject',
  { blobs: 1 },
  async (s) => {
    await put(s, 'old', a);
    await put(s, key, b);
    await s.renameObject({ bucket, key, from: 'old' });
    await outcome(s.renameObject({ bucket, key, from: 'old' }));
    await s.renameObject({ bucket, key, from: key });
  },
  { [key]: a },
);

leaves(
  'appends over three openings',
  { blobs: 4 },
  async (s, place) => {
    await append(s, a);
    await append(s, b, a.length);
    await append(s, block('l', 1_200_000), 2 * a.length);
    for (const letter of ['c', 'd']) {
      await place.reopen();
      const { size } = await place.storage.getObjectMeta({ bucket, key });
      await append(place.storage, block(letter), size);
      await append(place.storage, 'x', size + a.length);
    }
  },
  {
    [key]: Buffer.concat([
      a,
      b,
      block('l', 1_200_000),
      c,
      Buffer.from('x'),
      block('d'),
      Buffer.from('x'),
    ]),
  },
);

leaves(
  'an object of many segments, replaced',
  { blobs: 1 },
  async (s, place) => {
    await append(s, 'x');
    for (let size = 1; size < 70; size++) {
      await place.reopen();
      await append(place.storage, 'y', size);
    }
    await append(s, a);
  },
  { [key]: a },
);

leaves('DeleteBucket with unfinished uploads', { blobs: 0 }, async (s) => {
  for (const name of ['x', 'x', 'y']) await uploadOf(s, bucket, name, [a, b]);
  await s.deleteBucket({ bucket });
});

leaves(
  'races of writers',
  { blobs: 1 },
  async (s) => {
    await Promise.all([a, b, c, a, b].map((body) => put(s, key, body)));
    await append(s, a);
    await Promise.all([1, 2, 3, 4].map(() => outcome(append(s, block('z', 1_200_000), a.length))));
    const { upload, complete, abort } = await uploadOf(s, bucket, key, [a, b]);
    const part = (body: Buffer) => outcome(s.uploadPart({ ...upload, partNumber: 1, body }));
    await Promise.all([
      part(a),
      outcome(complete()),
      part(c),
      outcome(abort()),
      outcome(complete()),
    ]);
    await outcome(abort());
    const source = { bucket, key: 'source' };
    await put(s, 'source', a);
    const copy = () => outcome(s.copyObject({ bucket, key, source }));
    await Promise.all([
      copy(),
      put(s, 'source', b),
      copy(),
      s.renameObject({ ...source, from: key }).catch(() => {}),
    ]);
    await s.deleteObject(source).catch(() => {});
    await put(s, key, c);
  },
  { [key]: c },
);
