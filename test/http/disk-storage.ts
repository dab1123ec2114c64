import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ObjectStorage } from '@bucketware/core';
import { openStorage } from '@bucketware/storage';
import { OF_TESTS, type Settings } from './servers.js';

/** A storage on disk, in a new directory that is removed when it is closed. */
export async function diskStorage(settings: Settings = {}): Promise<ObjectStorage> {
  const directory = await mkdtemp(join(tmpdir(), 'bucketware-'));
  const storage = await openStorage({ directory, ...OF_TESTS, ...settings });
  const close = async () => {
    await storage.close();
    await rm(directory, { recursive: true, force: true });
  };
  return { ...storage, close };
}
