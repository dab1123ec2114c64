import { metadataStoreSuite } from '@bucketware/conformance';
import { lmdbMetadata } from '@bucketware/lmdb';
import test from 'ava';
import { temporaryDirectory } from './fixtures.js';

metadataStoreSuite(test, async () => {
  const { path, remove } = await temporaryDirectory();
  const open = () => lmdbMetadata({ directory: `${path}/deep/records.db` });
  return { store: await open(), reopen: open, dispose: remove };
});
