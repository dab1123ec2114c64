import { readdir } from 'node:fs/promises';
import {
  type BlobStore,
  createObjectStorage,
  type HandlerOptions,
  memoryMetadata,
  type ObjectStorage,
} from '@bucketware/core';
import { filesystemBlobs } from '@bucketware/filesystem';
import type { ExecutionContext } from 'ava';
import { temporaryDirectory } from '../drivers/fixtures.js';
import { carriers } from './carriers.js';
import { alice, listen, type RunningServer } from './servers.js';

/** In milliseconds. Much longer than the pauses of a client that is only slow. */
export const STALL = 400;

export interface Fixture extends RunningServer {
  readonly storage: ObjectStorage;
  /** The directory with the data. */
  readonly directory: string;
  /** The number of data files. */
  files(): Promise<number>;
}

interface GroundOptions extends HandlerOptions {
  /** Wraps the blob store. */
  readonly wrap?: (blobs: BlobStore) => BlobStore;
}

/** A server with `bucket`, data in files and a `stallTimeout` of `STALL`. */
export async function serve(
  t: ExecutionContext,
  carrier: keyof typeof carriers,
  { wrap = (blobs) => blobs, ...options }: GroundOptions = {},
): Promise<Fixture> {
  const { path, remove } = await temporaryDirectory();
  const blobs = await filesystemBlobs({ directory: path, durability: 'relaxed' });
  const metadata = memoryMetadata();
  const storage = await createObjectStorage({ blobs: wrap(blobs), metadata, inlineLimit: 65_536 });
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const running = await listen(carriers[carrier](storage, { stallTimeout: STALL, ...options }));
  t.teardown(async () => {
    await running.close();
    await storage.close();
    await remove();
  });
  const files = async () => {
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile() && !entry.name.startsWith('store')).length;
  };
  return { ...running, storage, directory: path, files };
}
