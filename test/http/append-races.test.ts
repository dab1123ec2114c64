import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { createObjectStorage, memoryBlobs, memoryMetadata } from '@bucketware/core';
import test from 'ava';

test('an append that loses a race for the manifest gets the right offset, and leaves no blob', async (t) => {
  const metadata = memoryMetadata();
  let meanwhile: (() => Promise<unknown>) | undefined;
  const storage = await createObjectStorage({
    blobs: memoryBlobs(),
    metadata: {
      get: async (key) => {
        const other = key.startsWith('m/') ? meanwhile : undefined;
        if (other) meanwhile = undefined;
        await other?.();
        return metadata.get(key);
      },
      getMany: (keys) => metadata.getMany(keys),
      list: (range) => metadata.list(range),
      commit: (change) => metadata.commit(change),
      close: () => metadata.close(),
    },
    sweepEvery: false,
    readGrace: 0,
    appendMemory: 0,
    segmentsInRecord: 1,
  });
  const at = { bucket: 'logs', key: 'log' };
  await storage.putBucket({ bucket: at.bucket });
  await storage.appendObject({ ...at, body: 'a' });
  for (const [offset, body] of ['b', 'c'].entries()) {
    await storage.appendObject({ ...at, offset: offset + 1, body });
  }
  meanwhile = () => storage.appendObject({ ...at, offset: 3, body: 'other' });
  const late = storage.appendObject({ ...at, offset: 3, body: 'late' });
  await t.throwsAsync(late, { code: 'OffsetIncorrect' });
  t.is(String(await (await storage.getObject(at)).bytes()), 'abcother');
  await storage.sweep();
  const { missing, orphans, blobs } = await storage.check();
  t.deepEqual({ missing, orphans, blobs }, { missing: [], orphans: [], blobs: 4 });
  await storage.close();
});

for (const [kind, appendMemory] of [
  ['in memory', 1024],
  ['in a blob', 0],
] as const) {
  test(`data that waits ${kind} is appended to whatever then has the size of its offset`, async (t) => {
    const storage = await createObjectStorage({
      blobs: memoryBlobs(),
      metadata: memoryMetadata(),
      sweepEvery: false,
      readGrace: 0,
      appendMemory,
    });
    const at = { bucket: 'logs', key: 'log' };
    await storage.putBucket({ bucket: at.bucket });
    await storage.appendObject({ ...at, body: 'first' });
    async function* slow() {
      yield Buffer.from(' and');
      await storage.appendObject({ ...at, body: 'other' });
      yield Buffer.from(' more');
    }
    const appended = await storage.appendObject({ ...at, offset: 5, body: Readable.from(slow()) });
    t.is(appended.size, 14);
    const found = await storage.getObject(at);
    t.is(String(await found.bytes()), 'other and more');
    t.is(found.etag, createHash('md5').update('other and more').digest('hex'));
    t.is(found.contentCrc32, crc32('other and more'));
    await storage.appendObject({ ...at, offset: 14, body: '!' });
    const last = await storage.getObject(at);
    t.is(last.etag, createHash('md5').update('other and more!').digest('hex'));
    t.is((await storage.scrub()).found, 0);
    await storage.sweep();
    const { missing, orphans } = await storage.check();
    t.deepEqual({ missing, orphans }, { missing: [], orphans: [] });
    await storage.close();
  });
}
