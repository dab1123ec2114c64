import { metadataStoreCases } from '@bucketware/conformance';
import { lmdbMetadata } from '@bucketware/lmdb';
import { runCases, temporaryDirectory } from './fixtures.js';

runCases(
  metadataStoreCases(async () => {
    const { path, remove } = await temporaryDirectory();
    const open = () => lmdbMetadata({ directory: `${path}/deep/records.db` });
    const store = await open();
    const cleanup = async (): Promise<void> => {
      await store.close();
      await remove();
    };
    return { store, reopen: open, cleanup };
  }),
);
