import { once } from 'node:events';
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { ObjectStorage } from '@bucketware/core';
import {
  openStorage,
  restoreStorage,
  type StorageConfig,
  type StoragePlace,
} from '@bucketware/storage';
import type { ExecutionContext } from 'ava';
import { directoryOf } from '../drivers/fixtures.js';

export const LARGE = 'large '.repeat(20_000);

/**
 * Opens a storage whose garbage is due at once. Nothing is flushed, because no machine crashes
 * here.
 */
export async function opened(
  t: ExecutionContext,
  place: StoragePlace,
  more: StorageConfig = {},
): Promise<ObjectStorage> {
  const storage = await openStorage({
    durability: 'relaxed',
    readGrace: 0,
    sweepEvery: false,
    ...place,
    ...more,
  });
  t.teardown(() => storage.close());
  return storage;
}

/**
 * Creates small and large objects, one that was appended to, one with parts, and an unfinished
 * upload.
 */
export async function fill(storage: ObjectStorage, small = 20): Promise<void> {
  await storage.putBucket({ bucket: 'notes' });
  for (let index = 0; index < small; index++) {
    await storage.putObject({ bucket: 'notes', key: `small/${index}`, body: `text ${index}` });
  }
  for (const key of ['large', 'other']) {
    await storage.putObject({ bucket: 'notes', key, body: LARGE + key });
  }
  const log = { bucket: 'notes', key: 'log', body: LARGE };
  await storage.appendObject(log);
  await storage.appendObject({ ...log, offset: LARGE.length });
  for (const key of ['whole', 'under-way', 'aborted']) {
    const { uploadId } = await storage.initiateMultipartUpload({ bucket: 'notes', key });
    const upload = { bucket: 'notes', key, uploadId };
    const { etag } = await storage.uploadPart({ ...upload, partNumber: 1, body: LARGE });
    const parts = [{ partNumber: 1, etag }];
    if (key === 'whole') await storage.completeMultipartUpload({ ...upload, parts });
    if (key === 'aborted') await storage.abortMultipartUpload(upload);
  }
}

export const textOf = async (storage: ObjectStorage, key: string): Promise<string> =>
  (await storage.getObject({ bucket: 'notes', key })).text();

/** Restores a backup to a new place, and asserts that nothing is missing. */
export async function restored(
  t: ExecutionContext,
  from: string,
  to?: StoragePlace,
): Promise<ObjectStorage> {
  const place = to ?? { directory: join(await directoryOf(t), 'restored') };
  const { verified } = await restoreStorage({ from, to: place });
  t.deepEqual([verified.damaged, verified.next], [[], undefined]);
  const storage = await opened(t, place);
  const { missing, orphans } = await storage.check();
  t.deepEqual([missing, orphans], [[], []]);
  return storage;
}

/** The state that a process would leave if it ended now. */
export async function imageOf(t: ExecutionContext, directory: string): Promise<string> {
  const image = join(await directoryOf(t), 'image');
  await cp(directory, image, { recursive: true });
  return image;
}

export async function blobsIn(backup: string): Promise<string[]> {
  const shards = await readdir(join(backup, 'blobs'));
  const names = await Promise.all(shards.map((shard) => readdir(join(backup, 'blobs', shard))));
  return names.flat().sort();
}

/** A driver that waits for `open` before the given call of a method, and before all later ones. */
export function gated<Driver extends object>(driver: Driver, method: keyof Driver, call = 1) {
  const events = new PassThrough();
  const reached = once(events, 'reached');
  const opening = once(events, 'open');
  let calls = 0;
  const slow = new Proxy(driver, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== method) return value.bind(target);
      return async (...given: unknown[]) => {
        if (++calls >= call) {
          events.emit('reached');
          await opening;
        }
        return value.apply(target, given);
      };
    },
  });
  return { slow, reached, open: () => events.emit('open') };
}
