import { readdir, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createObjectStorage, memoryMetadata } from '@bucketware/core';
import { filesystemBlobs } from '@bucketware/filesystem';
import type { ExecutionContext } from 'ava';
import { temporaryDirectory } from '../drivers/fixtures.js';

/** How many files below the directory this process has open, without directories. */
export async function openFiles(directory: string): Promise<number> {
  const names = await readdir('/proc/self/fd');
  const files = await Promise.all(
    names.map(async (name) => {
      const link = `/proc/self/fd/${name}`;
      const [path, found] = await Promise.allSettled([readlink(link), stat(link)]);
      // Another test may just have closed it.
      if (path.status === 'rejected' || found.status === 'rejected') return false;
      return path.value.startsWith(directory) && found.value.isFile();
    }),
  );
  return files.filter(Boolean).length;
}

/** A storage with data in files, and the number of files that are open. */
export async function onDisk(
  t: ExecutionContext,
  options: { readonly readTimeout?: number; readonly readGrace?: number } = {},
) {
  const { path, remove } = await temporaryDirectory();
  const blobs = await filesystemBlobs({ directory: join(path, 'b'), durability: 'relaxed' });
  const storage = await createObjectStorage({ blobs, metadata: memoryMetadata(), ...options });
  t.teardown(async () => {
    await storage.close();
    await remove();
  });
  await storage.putBucket({ bucket: 'bucket' });
  await storage.putObject({ bucket: 'bucket', key: 'large', body: Buffer.alloc(3_000_000, 'x') });
  const open = () => openFiles(path);
  const closed = async () => {
    for (let tries = 0; tries < 100 && (await open()) > 0; tries++) await sleep(10);
    return (await open()) === 0;
  };
  return { storage, path, open, closed };
}
