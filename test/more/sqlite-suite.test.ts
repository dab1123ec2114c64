import { metadataStoreSuite } from '@bucketware/conformance';
import { sqliteMetadata } from '@bucketware/sqlite';
import test from 'ava';
import { temporaryDirectory } from '../drivers/fixtures.js';

metadataStoreSuite(test, async () => {
  const { path, remove } = await temporaryDirectory();
  const open = () => sqliteMetadata({ path: `${path}/records.db` });
  return { store: await open(), reopen: open, dispose: remove };
});
