import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { copyStorage, openStorage, type StoragePlace } from '@bucketware/storage';
import test from 'ava';
import { temporaryDirectory } from '../drivers/fixtures.js';
import { credentials, urlOf } from './fixtures.js';
import { s3Store } from './store.js';

process.env.AWS_ACCESS_KEY_ID = credentials.accessKeyId;
process.env.AWS_SECRET_ACCESS_KEY = credentials.secretAccessKey;

test('a storage moves from files to S3 and back despite a failure, and a log can be continued there', async (t) => {
  const store = await s3Store();
  const { path, remove } = await temporaryDirectory();
  t.teardown(async () => {
    await store.close();
    await remove();
  });
  const placeOf = (name: string, blobs?: string): StoragePlace => ({
    metadata: `sqlite:${join(path, `${name}.db`)}`,
    blobs: blobs ?? `filesystem:${join(path, name)}`,
  });
  const [files, remote, back] = [
    placeOf('files'),
    placeOf('remote', urlOf(store)),
    placeOf('back'),
  ];
  const large = randomBytes(200_000);
  const log = { bucket: 'bucket', key: 'log' };
  let storage = await openStorage(files);
  await storage.putBucket({ bucket: 'bucket' });
  await storage.putObject({ bucket: 'bucket', key: 'large', body: large });
  await storage.appendObject({ ...log, body: 'one' });
  await storage.appendObject({ ...log, offset: 3, body: 'two' });
  await storage.close();

  let puts = 0;
  store.fault = ({ name }) =>
    name === 'PutObject' && ++puts === 3 ? { status: 403, code: 'QuotaExceeded' } : undefined;
  await t.throwsAsync(copyStorage({ from: files, to: remote }), { message: /QuotaExceeded/ });
  store.fault = () => undefined;
  t.is((await copyStorage({ from: files, to: remote })).verified.found, 0);

  storage = await openStorage(remote);
  await storage.appendObject({ ...log, offset: 6, body: 'three' });
  await storage.close();
  t.is((await copyStorage({ from: remote, to: back })).verified.found, 0);

  storage = await openStorage(back);
  await storage.appendObject({ ...log, offset: 11, body: 'four' });
  t.is(String(await (await storage.getObject(log)).bytes()), 'onetwothreefour');
  const object = await storage.getObject({ bucket: 'bucket', key: 'large' });
  t.true((await object.bytes()).equals(large));
  const { missing, orphans } = await storage.check();
  t.deepEqual({ missing, orphans }, { missing: [], orphans: [] });
  await storage.close();
});
