import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { blobStoreSuite } from '@bucketware/conformance';
import { fileBlobs } from './file-blobs.js';

blobStoreSuite(test, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'file-blobs-'));
  const open = async () => fileBlobs(directory);
  return {
    store: await open(),
    reopen: open,
    dispose: () => rm(directory, { recursive: true }),
  };
});
