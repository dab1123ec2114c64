import { blobStoreSuite } from '@bucketware/conformance';
import { filesystemBlobs } from '@bucketware/filesystem';
import test from 'ava';
import { temporaryDirectory } from './fixtures.js';

blobStoreSuite(test, async () => {
  const { path, remove } = await temporaryDirectory();
  const open = () => filesystemBlobs({ directory: `${path}/deep/blobs` });
  return { store: await open(), reopen: open, dispose: remove };
});
