import { keyvMetadata, SqliteStore } from '@bucketware/keyv';
import { DatabaseSync } from '@photostructure/sqlite';
import test from 'ava';
import Keyv from 'keyv';
import { turnsDuring } from '../drivers/fixtures.js';
import { bucket, fill, numbered, rule, setRules } from './lifecycle-fixtures.js';
import { memoryStorage } from './servers.js';

test('work over many records lets other requests run, even if the records are in memory', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket });
  await fill(storage, numbered(5500));
  await setRules(storage, rule());
  t.true((await turnsDuring(() => storage.check())) >= 5);
  t.true((await turnsDuring(() => storage.lifecycle.run({ dryRun: true }))) >= 5);
  await storage.close();
});

test('many lists of parts let other requests run', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket });
  const { uploadId } = await storage.initiateMultipartUpload({ bucket, key: 'large' });
  const part = { bucket, key: 'large', uploadId };
  for (let partNumber = 1; partNumber <= 1000; partNumber++)
    await storage.uploadPart({ ...part, partNumber, body: 'x' });
  const lists = () => Promise.all(Array.from({ length: 100 }, () => storage.listParts(part)));
  t.true((await turnsDuring(lists)) >= 10);
  await storage.close();
});

test('successive commits let other requests run, even if the database responds immediately', async (t) => {
  const store = new SqliteStore(new DatabaseSync(':memory:'));
  const metadata = await keyvMetadata(new Keyv({ store }), { allowMemory: true });
  const commits = async (): Promise<void> => {
    for (let n = 0; n < 50; n++) await metadata.commit({ put: [{ key: `key ${n}`, value: n }] });
  };
  t.true((await turnsDuring(commits)) >= 50);
  await metadata.close();
});
