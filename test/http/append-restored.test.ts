import { createObjectStorage, memoryBlobs, memoryMetadata } from '@bucketware/core';
import test from 'ava';
import { goBack, recordsOf } from './restored-records.js';

test('appends overwrite nothing that a later state of the database needs', async (t) => {
  const metadata = memoryMetadata();
  const blobs = memoryBlobs();
  const storage = await createObjectStorage({ blobs, metadata, sweepEvery: false });
  const at = { bucket: 'logs', key: 'log' };
  const textOf = async (key: string) => (await storage.getObject({ ...at, key })).text();
  const append = async (body: string) => {
    const { size } = await storage.getObjectMeta(at);
    await storage.appendObject({ ...at, offset: size, body });
  };
  await storage.putBucket({ bucket: at.bucket });
  await storage.appendObject({ ...at, body: 'monday;' });
  await append('tuesday;');
  const tuesday = await recordsOf(metadata);
  await append('wednesday;');
  await storage.copyObject({ ...at, key: 'copy', source: at });
  const wednesday = await recordsOf(metadata);

  await goBack(metadata, tuesday);
  await append('again wednesday;');
  await append('thursday;');
  t.is(await textOf('log'), 'monday;tuesday;again wednesday;thursday;');

  await goBack(metadata, wednesday);
  t.is(await textOf('log'), 'monday;tuesday;wednesday;');
  t.is(await textOf('copy'), 'monday;tuesday;wednesday;');
  t.deepEqual((await storage.check()).missing, []);
  await storage.close();
});
