import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { blobStoreSuite } from '@bucketware/conformance';
import { sqliteBlobs } from './sqlite-blobs.js';

blobStoreSuite(test, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sqlite-blobs-'));
  const open = async () => sqliteBlobs(join(directory, 'bytes.db'));
  return {
    store: await open(),
    reopen: open,
    dispose: () => rm(directory, { recursive: true }),
  };
});
