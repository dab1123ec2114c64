import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createObjectStorage, memoryMetadata } from '@bucketware/core';
import { filesystemBlobs } from '@bucketware/filesystem';
import { lmdbMetadata } from '@bucketware/lmdb';
import { sqliteMetadata } from '@bucketware/sqlite';
import test from 'ava';
import { directoryOf } from './fixtures.js';

const bucket = 'bucket';
/** Too large for a record. */
const large = Buffer.alloc(200_000, 'x');

type OpenMetadata = (directory: string) => ReturnType<typeof lmdbMetadata>;

const RECORDS: readonly (readonly [name: string, open: OpenMetadata])[] = [
  ['LMDB', (directory) => lmdbMetadata({ directory })],
  ['SQLite', (directory) => sqliteMetadata({ path: join(directory, 'records.sqlite') })],
];

/** What an administrator may do to a directory while it is in use. */
const LOSSES: readonly (readonly [what: string, lose: (directory: string) => Promise<void>])[] = [
  ['removed', (directory) => rm(directory, { recursive: true })],
  ['moved', (directory) => rename(directory, `${directory}.old`)],
  [
    'replaced by a copy',
    async (directory) => {
      await rename(directory, `${directory}.old`);
      await cp(`${directory}.old`, directory, { recursive: true });
    },
  ],
];

for (const [name, open] of RECORDS) {
  for (const [what, lose] of LOSSES) {
    test(`${name}: changes are rejected when the directory of the records was ${what}`, async (t) => {
      const directory = join(await directoryOf(t), 'records');
      await mkdir(directory);
      const blobs = await filesystemBlobs({ directory: `${directory}.blobs` });
      const metadata = await open(directory);
      const storage = await createObjectStorage({ blobs, metadata, onError: () => {} });
      // LMDB can no longer be read, so reserved ids cannot be released.
      t.teardown(() => storage.close().catch((error) => t.log(error.message)));
      await storage.putBucket({ bucket });
      await lose(directory);
      for (const key of ['new', 'newer']) {
        const error = await t.throwsAsync(storage.putObject({ bucket, key, body: 'new' }));
        t.is((error as NodeJS.ErrnoException).code, 'EROFS');
      }
      if (name === 'LMDB') t.false((await storage.health()).ok);
    });
  }
}

for (const [what, lose] of LOSSES) {
  test(`changes are rejected, and nothing is removed, when the directory of the blobs was ${what}`, async (t) => {
    const directory = join(await directoryOf(t), 'blobs');
    const blobs = await filesystemBlobs({ directory });
    let time = Date.now();
    const options = { onError: () => {}, now: () => time };
    const storage = await createObjectStorage({ blobs, metadata: memoryMetadata(), ...options });
    t.teardown(() => storage.close());
    await storage.putBucket({ bucket });
    await storage.putObject({ bucket, key: 'old', body: large });
    await storage.deleteObject({ bucket, key: 'old' });
    const files = () => readdir(directory, { recursive: true });
    const before = await files();
    await lose(directory);
    await t.throwsAsync(storage.putObject({ bucket, key: 'new', body: large }));
    time += 30 * 86_400_000;
    await storage.sweep().catch(() => {});
    if (what === 'replaced by a copy') {
      const after = new Set(await files());
      t.true(before.every((name) => after.has(name)));
    }
    t.false((await storage.health()).ok);
  });
}
