import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type BlobStore, copyStore, createObjectStorage } from '@bucketware/core';
import { filesystemBlobs } from '@bucketware/filesystem';
import { lmdbMetadata } from '@bucketware/lmdb';
import test from 'ava';
import { temporaryDirectory } from './fixtures.js';

const place = { bucket: 'notes', key: 'large' };
const LARGE = 'large '.repeat(50_000);

function gate() {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

test('a copy that another one has overtaken does not touch the blobs that it had begun', async (t) => {
  const { path, remove } = await temporaryDirectory();
  t.teardown(remove);
  const open = async (name: string) => ({
    metadata: await lmdbMetadata({ directory: join(path, name, 'records') }),
    blobs: await filesystemBlobs({ directory: join(path, name, 'blobs') }),
  });
  const from = await open('from');
  const to = await open('to');
  const storage = await createObjectStorage({ ...from, sweepEvery: false });
  await storage.putBucket({ bucket: place.bucket });
  await storage.putObject({ ...place, body: LARGE });

  /** The blobs of the source, as a copy reads them. */
  const reading = (read: () => Promise<Readable>): Pick<BlobStore, 'list' | 'read'> => ({
    list: () => from.blobs.list(),
    read,
  });
  const half = async function* () {
    yield Buffer.from(LARGE.slice(0, 1000));
    throw new Error('the source is gone');
  };
  const copy = (blobs: Pick<BlobStore, 'list' | 'read'>) =>
    copyStore({ from: { metadata: from.metadata, blobs }, to });
  const interrupted = copy(reading(async () => Readable.from(half())));
  await t.throwsAsync(interrupted, { message: 'the source is gone' });

  const [reached, resumed] = [gate(), gate()];
  const overtaken = copy(
    reading(async () => {
      reached.open();
      await resumed.passed;
      return Readable.from(half());
    }),
  );
  await reached.passed;
  await copy(from.blobs);
  t.is(await to.blobs.identity(), await from.blobs.identity());
  const inUse = await createObjectStorage({ ...to, sweepEvery: false });
  resumed.open();
  await t.throwsAsync(overtaken, { message: /Another call is copying/ });
  t.true((await (await inUse.getObject(place)).text()) === LARGE);
  await inUse.close();
  await storage.close();
});
