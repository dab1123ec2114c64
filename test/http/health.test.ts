import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BlobStore, createObjectStorage, type MetadataStore } from '@bucketware/core';
import { memoryBlobs, memoryMetadata } from '@bucketware/core/memory';
import { openStorage } from '@bucketware/storage';
import test from 'ava';
import { temporaryDirectory } from '../drivers/fixtures.js';

test('health reports data that is gone or belongs to another storage', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const storage = await openStorage({ directory: path, sweepEvery: false });
  t.teardown(() => storage.close().then(remove));
  const well = await storage.health();
  t.deepEqual([well.ok, well.records.ok, well.blobs.ok], [true, true, true]);
  const mark = join(path, 'blobs', 'storage.json');
  await writeFile(mark, JSON.stringify({ storageId: 'f'.repeat(32), layout: 1 }));
  const mixed = await storage.health();
  t.deepEqual([mixed.ok, mixed.records.ok, mixed.blobs.ok], [false, true, false]);
  t.regex(mixed.blobs.error?.message ?? '', /the blobs to f{32}/);
  await rm(mark);
  t.regex((await storage.health()).blobs.error?.message ?? '', /the blobs to none/);
});

test('health respects its timeout, and names the backend that does not respond', async (t) => {
  const metadata: MetadataStore = memoryMetadata();
  const blobs: BlobStore = memoryBlobs();
  const storage = await createObjectStorage({ metadata, blobs, sweepEvery: false });
  t.teardown(() => storage.close());
  metadata.commit = () => new Promise(() => {});
  const { ok, records, blobs: bytes } = await storage.health({ timeout: 20 });
  t.deepEqual([ok, records.ok, bytes.ok], [false, false, true]);
  t.is(records.error?.message, 'The metadata store did not respond within 20 ms.');
  await t.throwsAsync(storage.health({ timeout: 0 }), { message: /storage.health\(\)/ });
});

test('health reports why the metadata store accepts no changes', async (t) => {
  const metadata: MetadataStore = memoryMetadata();
  const storage = await createObjectStorage({ metadata, blobs: memoryBlobs(), sweepEvery: false });
  t.teardown(() => storage.close());
  const cause = Object.assign(new Error('read-only'), { code: 'EROFS' });
  metadata.commit = () => Promise.reject(cause);
  const { records, blobs } = await storage.health();
  t.deepEqual([records.ok, records.error, blobs.ok], [false, cause, true]);
});
