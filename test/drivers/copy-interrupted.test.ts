import { setImmediate } from 'node:timers/promises';
import {
  type BlobStore,
  copyStore,
  createObjectStorage,
  memoryBlobs,
  memoryMetadata,
} from '@bucketware/core';
import test from 'ava';
import { replaced } from '../simulator/protocol.js';

/** The drivers of a storage with this many blobs. */
async function filled(count: number) {
  const drivers = { metadata: memoryMetadata(), blobs: memoryBlobs() };
  const storage = await createObjectStorage({ ...drivers, inlineLimit: 0 });
  await storage.putBucket({ bucket: 'notes' });
  for (let index = 0; index < count; index++) {
    await storage.putObject({ bucket: 'notes', key: `${index}`, body: `text ${index}` });
  }
  return drivers;
}

/** A source that has lost a blob. */
const without = (blobs: BlobStore, id: string): BlobStore =>
  replaced(blobs, {
    async *list() {
      for await (const blob of blobs.list()) if (blob.id !== id) yield blob;
    },
  });

/** A blob store whose `write` calls `after` when all data is there, but not yet durable. */
function watched(blobs: BlobStore, after: (id: string) => Promise<void> = async () => {}) {
  const written: string[] = [];
  const write: BlobStore['write'] = async (id, ...data) => {
    const result = await blobs.write(id, ...data);
    written.push(id);
    await after(id);
    return result;
  };
  return { written, blobs: replaced(blobs, { write }) };
}

test('a blob whose sync failed is written again by the next call, and others are not', async (t) => {
  const from = await filled(20);
  const to = { metadata: memoryMetadata(), blobs: memoryBlobs() };
  let failed = '';
  const first = watched(to.blobs, async (id) => {
    if (failed !== '' || first.written.length < 12) return;
    failed = id;
    throw new Error('ENOSPC: no space left on device, fsync');
  });
  await t.throwsAsync(copyStore({ from, to: { ...to, blobs: first.blobs } }), {
    message: /ENOSPC/,
  });
  const second = watched(to.blobs);
  const { blobs } = await copyStore({ from, to: { ...to, blobs: second.blobs } });
  t.true(second.written.includes(failed));
  const durable = first.written.filter((id) => id !== failed);
  t.true(durable.length >= 11);
  t.deepEqual(
    second.written.filter((id) => durable.includes(id)),
    [],
  );
  t.is(blobs, second.written.length);
  t.is(new Set([...durable, ...second.written]).size, 20);
  t.deepEqual(await to.metadata.list({ prefix: 's/copied', limit: 10 }), []);
});

test('blobs that were not durable when the process was killed are written again', async (t) => {
  const from = await filled(300);
  const to = { metadata: memoryMetadata(), blobs: memoryBlobs() };
  const unsynced: string[] = [];
  const killed = watched(to.blobs, async (id) => {
    if (killed.written.length <= 280) return;
    unsynced.push(id);
    await new Promise(() => {});
  });
  void copyStore({ from, to: { ...to, blobs: killed.blobs } });
  while (unsynced.length < 8) await setImmediate();
  const { written, blobs } = watched(to.blobs);
  await copyStore({ from, to: { ...to, blobs } });
  for (const id of unsynced) t.true(written.includes(id));
  // The list of durable blobs is saved after 256.
  t.is(written.length, 300 - 256);
  const storage = await createObjectStorage(to);
  t.is(await (await storage.getObject({ bucket: 'notes', key: '299' })).text(), 'text 299');
  t.deepEqual((await storage.check()).missing, []);
});

test('a blob that was removed and is written again is not taken for durable', async (t) => {
  const all = await filled(12);
  const { value: victim } = await all.blobs.list()[Symbol.asyncIterator]().next();
  const fewer = { ...all, blobs: without(all.blobs, victim.id) };
  const to = { metadata: memoryMetadata(), blobs: memoryBlobs() };
  const stop = (progress: { readonly records: number }) => {
    if (progress.records > 0) throw new Error('enough');
  };
  await t.throwsAsync(copyStore({ from: all, to, onProgress: stop }), { message: 'enough' });
  // The records were copied before, so the first progress is after the removal.
  const after = (progress: { readonly passes: number }) => {
    if (progress.passes > 0) throw new Error('enough');
  };
  await t.throwsAsync(copyStore({ from: fewer, to, onProgress: after }), { message: 'enough' });
  const failing = watched(to.blobs, async () => {
    throw new Error('EIO: i/o error, fsync');
  });
  const again = copyStore({ from: all, to: { ...to, blobs: failing.blobs } });
  await t.throwsAsync(again, { message: /EIO/ });
  t.deepEqual(failing.written, [victim.id]);
  const { written, blobs } = watched(to.blobs);
  await copyStore({ from: all, to: { ...to, blobs } });
  t.deepEqual(written, [victim.id]);
});
