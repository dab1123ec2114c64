import {
  createObjectStorage,
  type MetadataStore,
  memoryBlobs,
  memoryMetadata,
} from '@bucketware/core';
import test from 'ava';
import { bucket, fails, key, prepared, sumOf, threeParts, upload } from './checksum-fixtures.js';

test('an object can be read by the parts in which it was uploaded', async (t) => {
  const { storage, metadata } = await prepared();
  const at = { bucket, key };
  const bodies = threeParts();
  const lists = () => metadata.list({ prefix: 'l/', limit: 10 });
  await storage.completeMultipartUpload(await upload(storage, { bodies }));
  let start = 0;
  for (const [partNumber, body] of bodies) {
    const range = { start, end: start + body.length };
    const found = await storage.getObject({ ...at, partNumber });
    t.deepEqual(await found.bytes(), body);
    const value = await sumOf(storage, 'crc32', body);
    t.deepEqual([found.range, found.partsCount], [range, 3]);
    t.deepEqual(found.part?.checksum, { algorithm: 'crc32', value });
    t.deepEqual((await storage.getObjectMeta({ ...at, partNumber })).range, range);
    start = range.end;
  }
  for (const partNumber of [1, 4, 9999]) {
    await fails(t, storage.getObject({ ...at, partNumber }), 'InvalidPart');
    await fails(t, storage.getObjectMeta({ ...at, partNumber }), 'InvalidPart');
  }
  const both = storage.getObject({ ...at, partNumber: 2, range: 'bytes=0-1' });
  await fails(t, both, 'InvalidArgument');

  const page = async (partNumberMarker: number, maxParts: number) => {
    const { parts } = await storage.getObjectAttributes({ ...at, partNumberMarker, maxParts });
    const { count, isTruncated, nextPartNumberMarker: next } = parts ?? {};
    return [parts?.parts.map((part) => part.partNumber), count, isTruncated, next];
  };
  t.deepEqual(await page(0, 1000), [[2, 3, 10_000], 3, false, 10_000]);
  t.deepEqual(await page(0, 2), [[2, 3], 3, true, 3]);
  t.deepEqual(await page(3, 2), [[10_000], 3, false, 10_000]);
  t.deepEqual(await page(10_000, 2), [[], 3, false, 0]);
  t.deepEqual(await page(0, 0), [[], 3, true, 0]);

  await storage.renameObject({ bucket, key: 'moved', from: key });
  t.is(
    (await storage.getObject({ bucket, key: 'moved', partNumber: 10_000 })).part?.start,
    212_407,
  );
  t.is((await lists()).length, 1);
  await storage.putObject({ bucket, key: 'moved', body: '' });
  t.deepEqual(await lists(), []);
  const empty = await storage.getObject({ bucket, key: 'moved', partNumber: 1 });
  t.deepEqual([empty.range, empty.partsCount, empty.part?.checksum], Array(3).fill(undefined));
  await fails(t, storage.getObject({ bucket, key: 'moved', partNumber: 2 }), 'InvalidPart');

  await storage.completeMultipartUpload(await upload(storage, { bodies }));
  await storage.deleteObject(at);
  t.deepEqual(await lists(), []);
});

test('an object whose parts are not recorded has one part', async (t) => {
  const { storage, metadata } = await prepared();
  const bodies = threeParts();
  await storage.completeMultipartUpload(await upload(storage, { bodies }));
  const [entry] = await metadata.list({ prefix: 'o/', limit: 1 });
  const { parts: _, ...value } = (entry?.value ?? {}) as Record<string, unknown>;
  await metadata.commit({ put: [{ key: entry?.key as string, value }] });
  const whole = await storage.getObject({ bucket, key, partNumber: 1 });
  t.deepEqual(await whole.bytes(), Buffer.concat([...bodies.values()]));
  t.is((await storage.getObjectAttributes({ bucket, key })).parts, undefined);
});

test('when an object is replaced while its parts are read, the parts are those of the newer object', async (t) => {
  const inner = memoryMetadata();
  let meanwhile: (() => Promise<unknown>) | undefined;
  const metadata: MetadataStore = {
    ...bound(inner),
    async get(name) {
      const act = name.startsWith('l/') ? meanwhile : undefined;
      if (act !== undefined) meanwhile = undefined;
      await act?.();
      return inner.get(name);
    },
  };
  const blobs = memoryBlobs();
  const storage = await createObjectStorage({ blobs, metadata });
  await storage.putBucket({ bucket });
  await storage.completeMultipartUpload(await upload(storage, { bodies: threeParts() }));
  const newer = await upload(storage, { bodies: new Map([[3, Buffer.from('newer')]]) });
  meanwhile = () => storage.completeMultipartUpload(newer);
  const found = await storage.getObject({ bucket, key, partNumber: 3 });
  t.is(await found.text(), 'newer');
  const [list] = await inner.list({ prefix: 'l/', limit: 1 });
  await inner.commit({ delete: [list?.key as string] });
  // The first storage has the list in memory.
  const another = await createObjectStorage({ blobs, metadata });
  await fails(t, another.getObject({ bucket, key, partNumber: 3 }), 'InternalError');
});

const bound = (metadata: MetadataStore): MetadataStore => ({
  get: (name) => metadata.get(name),
  getMany: (names) => metadata.getMany(names),
  list: (range) => metadata.list(range),
  commit: (change) => metadata.commit(change),
  close: () => metadata.close(),
});
