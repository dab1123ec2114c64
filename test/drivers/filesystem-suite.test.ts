import { blobStoreCases } from '@bucketware/conformance';
import { filesystemBlobs } from '@bucketware/filesystem';
import { runCases, temporaryDirectory } from './fixtures.js';

runCases(
  blobStoreCases(async () => {
    const { path, remove } = await temporaryDirectory();
    const open = () => filesystemBlobs({ directory: `${path}/deep/blobs` });
    return { store: await open(), reopen: open, cleanup: remove };
  }),
);
