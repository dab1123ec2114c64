import { join } from 'node:path';
import type { BlobStore, MetadataStore } from '@bucketware/core';
import { memoryBlobs, memoryMetadata } from '@bucketware/core/memory';
import { filesystemBlobs } from '@bucketware/filesystem';
import { keyvMetadata } from '@bucketware/keyv';
import { lmdbMetadata } from '@bucketware/lmdb';
import { sqliteMetadata } from '@bucketware/sqlite';
import { copyStorage, openStorage, restoreStorage } from '@bucketware/storage';
import test from 'ava';
import Keyv from 'keyv';
import { fill, gated, LARGE, opened, textOf } from '../backup/fixtures.js';
import { directoryOf } from '../drivers/fixtures.js';

interface Empty {
  readonly metadata: MetadataStore;
  readonly blobs: BlobStore;
}

const files = (directory: string) => filesystemBlobs({ directory: join(directory, 'blobs') });

const targets: Record<string, (directory: string) => Promise<Empty>> = {
  memory: async () => ({ metadata: memoryMetadata(), blobs: memoryBlobs() }),
  lmdb: async (directory) => ({
    metadata: await lmdbMetadata({ directory: join(directory, 'records') }),
    blobs: await files(directory),
  }),
  sqlite: async (directory) => ({
    metadata: await sqliteMetadata({ path: join(directory, 'records.db') }),
    blobs: await files(directory),
  }),
  keyv: async (directory) => ({
    metadata: await keyvMetadata(new Keyv(), { allowMemory: true }),
    blobs: await files(directory),
  }),
};

/** A driver that another user of it does not close. */
const shared = <Driver extends object>(driver: Driver): Driver =>
  new Proxy(driver, {
    get(target, name) {
      if (name === 'close') return async () => {};
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

for (const [name, open] of Object.entries(targets)) {
  for (const call of ['restoreStorage', 'copyStorage'] as const) {
    const setUp = async (t: Parameters<typeof opened>[0]) => {
      const directory = await directoryOf(t);
      const from = { directory: join(directory, 'data') };
      const source = await opened(t, from);
      await fill(source);
      await source.backup(join(directory, 'backup'));
      await source.close();
      const target = await open(join(directory, 'target'));
      const copyTo = (to: Empty) =>
        call === 'copyStorage'
          ? copyStorage({ from, to })
          : restoreStorage({ from: join(directory, 'backup'), to });
      return { target, copyTo };
    };

    test(`${name}: ${call}() removes nothing from a storage opened meanwhile`, async (t) => {
      const { target, copyTo } = await setUp(t);
      const metadata = gated(shared(target.metadata), 'commit');
      const copying = copyTo({ metadata: metadata.slow, blobs: shared(target.blobs) });
      await Promise.race([metadata.reached, copying]);
      const app = await opened(t, target);
      await app.putBucket({ bucket: 'notes' });
      await app.putObject({ bucket: 'notes', key: 'new', body: LARGE });
      metadata.open();
      await t.throwsAsync(copying, { message: /already contains the storage .* empty target/ });
      t.true((await textOf(app, 'new')) === LARGE);
      t.deepEqual((await app.check()).missing, []);
    });

    test(`${name}: a storage does not open where ${call}() has just begun`, async (t) => {
      const { target, copyTo } = await setUp(t);
      const metadata = gated(shared(target.metadata), 'commit');
      const opening = openStorage({ metadata: metadata.slow, blobs: shared(target.blobs) });
      await Promise.race([metadata.reached, opening]);
      const blobs = gated(shared(target.blobs), 'write');
      const copying = copyTo({ metadata: shared(target.metadata), blobs: blobs.slow });
      await Promise.race([blobs.reached, copying]);
      metadata.open();
      await t.throwsAsync(opening, { message: /an unfinished copy/ });
      blobs.open();
      await copying;
      const storage = await opened(t, target);
      t.true((await textOf(storage, 'large')) === `${LARGE}large`);
      t.deepEqual((await storage.check()).missing, []);
    });
  }
}
