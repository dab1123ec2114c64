import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { memoryBlobs, memoryMetadata } from '@bucketware/core';
import { filesystemBlobs } from '@bucketware/filesystem';
import { keyvMetadata, PostgresStore, SqliteStore } from '@bucketware/keyv';
import { lmdbMetadata } from '@bucketware/lmdb';
import { openStorage, type StorageConfig } from '@bucketware/storage';
import { DatabaseSync } from '@photostructure/sqlite';
import test from 'ava';
import { Keyv } from 'keyv';
import { Keyv as Keyv6 } from 'keyv6';
import { directoryOf } from './fixtures.js';

const sqliteKeyv = (database = new DatabaseSync(':memory:')) =>
  new Keyv({ store: new SqliteStore(database) });
const pool = {
  connect: () => Promise.reject(new Error('There is no server.')),
  on: () => undefined,
  end: async () => undefined,
};

type Factory = (options: object) => unknown;
const FACTORIES: Readonly<Record<string, Factory>> = {
  'openStorage()': (options) => openStorage({ metadata: 'memory', blobs: 'memory', ...options }),
  'lmdbMetadata()': (options) => lmdbMetadata({ directory: '/nowhere/at/all', ...options }),
  'filesystemBlobs()': (options) => filesystemBlobs({ directory: '/nowhere/at/all', ...options }),
  'keyvMetadata()': (options) => keyvMetadata(sqliteKeyv(), options),
  'new PostgresStore()': (options) => new PostgresStore(pool, options),
  'new SqliteStore()': (options) => new SqliteStore(new DatabaseSync(':memory:'), options),
};

const WRONG: readonly (readonly [factory: string, options: object, message: RegExp])[] = [
  ['openStorage()', { durabilty: 'full' }, /has no option durabilty\. Did you mean durability\?/],
  ['openStorage()', { inlinelimit: 5 }, /Did you mean inlineLimit\?/],
  ['openStorage()', { durability: 'ful' }, /durability must be one of full, relaxed/],
  ['openStorage()', { directory: 7 }, /directory must be a non-empty string/],
  ['openStorage()', { metadata: 7 }, /metadata must be the name of a driver, or/],
  ['openStorage()', { directory: '/x', metadata: 'lmdb:' }, /path for the records is empty/],
  ['openStorage()', { directory: '/x', blobs: 'filesystem:' }, /path for the blobs is empty/],
  ['openStorage()', { prefix: 'a:' }, /prefix is only for records in Keyv/],
  ['lmdbMetadata()', { durabilty: 'full' }, /Did you mean durability\?/],
  ['lmdbMetadata()', { durability: 'ful' }, /durability must be one of/],
  ['lmdbMetadata()', { directory: undefined }, /needs the option directory/],
  ['filesystemBlobs()', { durabilty: 'full' }, /Did you mean durability\?/],
  ['filesystemBlobs()', { directory: '' }, /directory must be a non-empty string/],
  ['keyvMetadata()', { cachebytes: 1 }, /Did you mean cacheBytes\?/],
  ['keyvMetadata()', { cacheBytes: -1 }, /cacheBytes must be a whole number/],
  ['keyvMetadata()', { timeout: 0 }, /timeout must be a number of milliseconds/],
  ['keyvMetadata()', { writers: 'two' }, /writers must be one of one, many/],
  ['keyvMetadata()', { disconnect: 'yes' }, /disconnect must be true or false/],
  ['keyvMetadata()', { durability: 'none' }, /durability must be one of/],
  ['new PostgresStore()', { tabel: 'x' }, /Did you mean table\?/],
  ['new PostgresStore()', { timeout: 0 }, /timeout must be a number of milliseconds/],
  ['new PostgresStore()', { table: 'x; drop' }, /table must be a name/],
  ['new SqliteStore()', { durabilty: 'full' }, /Did you mean durability\?/],
  ['new SqliteStore()', { durability: 'none' }, /durability must be one of/],
];

test('an unknown option or a wrong value is a TypeError at once', async (t) => {
  for (const [factory, options, message] of WRONG) {
    const call = async () => FACTORIES[factory]?.(options);
    const error = await t.throwsAsync(call, { instanceOf: TypeError, message });
    t.true(error?.message.startsWith(factory), error?.message);
  }
});

test('an object that is not a driver is a TypeError that says what it is', async (t) => {
  for (const [config, message] of [
    [{ metadata: Promise.resolve(memoryMetadata()) }, /metadata is a promise\. Await it/],
    [{ blobs: Promise.resolve(memoryBlobs()) }, /blobs is a promise/],
    [{ metadata: new SqliteStore(new DatabaseSync(':memory:')) }, /adapter for Keyv.*new Keyv/],
    [{ metadata: new Map() }, /adapter for Keyv/],
    [{ metadata: {} }, /not a MetadataStore or Keyv: it lacks get, getMany/],
    [{ metadata: memoryBlobs() }, /it lacks get, getMany, commit\./],
    [{ blobs: memoryMetadata() }, /blobs is not a BlobStore: it lacks identity/],
    [{ metadata: new Keyv() }, /in memory/],
    [{ metadata: memoryMetadata(), prefix: 'a:' }, /prefix is only for records in Keyv/],
  ] as [StorageConfig, RegExp][]) {
    const opening = openStorage({ metadata: 'memory', blobs: 'memory', ...config });
    await t.throwsAsync(opening, { instanceOf: TypeError, message });
  }
  await t.throwsAsync(keyvMetadata({} as Keyv), { instanceOf: TypeError, message: /takes a Keyv/ });
});

test('drivers opened by the host are used, and closed with the storage', async (t) => {
  const closed: string[] = [];
  const named = (name: string) => ({ close: async () => void closed.push(name) });
  const metadata = Object.assign(memoryMetadata(), named('metadata'));
  const blobs = Object.assign(memoryBlobs(), named('blobs'));
  const failing = openStorage({ metadata, blobs: 'nothing' });
  await t.throwsAsync(failing, { instanceOf: TypeError, message: /no blob driver 'nothing'/ });
  t.deepEqual(closed, []);
  const storage = await openStorage({ metadata, blobs });
  await storage.putBucket({ bucket: 'notes' });
  t.truthy(await metadata.get('b/notes'));
  await storage.close();
  t.deepEqual(closed, ['metadata', 'blobs']);
});

for (const [name, make] of [
  ['Keyv 5', (store: SqliteStore) => new Keyv({ store })],
  ['Keyv 6', (store: SqliteStore) => new Keyv6({ store })],
] as const) {
  test(`${name} of the host stores records under their prefixes, and stays connected`, async (t) => {
    const database = new DatabaseSync(':memory:');
    const keyv = make(new SqliteStore(database));
    for (const prefix of ['one:', 'two:']) {
      const storage = await openStorage({
        metadata: keyv,
        blobs: memoryBlobs(),
        prefix,
        durability: 'relaxed',
      });
      const { buckets } = await storage.listBuckets();
      t.is(buckets.length, 0);
      await storage.close();
    }
    const keys = database.prepare('SELECT key FROM keyv').all() as { key: string }[];
    t.true(keys.some(({ key }) => key.includes('one:root')));
    t.true(keys.some(({ key }) => key.includes('two:root')));
    database.close();
  });
}

test('options of another metadata driver are rejected, and nothing is created', async (t) => {
  const directory = await directoryOf(t);
  const sqlite = `sqlite:${join(directory, 'records.db')}`;
  const wrong = [
    [{ metadata: sqlite, prefix: 'files:' }, /prefix is only for records in Keyv/],
    [
      { metadata: 'postgres://127.0.0.1:1/x', prefix: 'files:' },
      /prefix is only for records in Keyv/,
    ],
    [
      { metadata: 'redis://127.0.0.1:1', table: 'files' },
      /table is only for records in PostgreSQL/,
    ],
    [{ metadata: sqlite, table: 'files' }, /table is only for records in PostgreSQL/],
    [{ metadata: sqliteKeyv(), table: 'files' }, /table is only for records in PostgreSQL/],
    [{ table: 'files' }, /table is only for records in PostgreSQL/],
  ] as const;
  for (const [config, message] of wrong) {
    await t.throwsAsync(openStorage({ directory, ...config }), { instanceOf: TypeError, message });
  }
  t.deepEqual(await readdir(directory), []);
});

test('a tree in a SQLite file is not treated as an empty storage', async (t) => {
  const directory = await directoryOf(t);
  const path = join(directory, 'records.db');
  const open = (metadata: StorageConfig['metadata']) =>
    openStorage({ directory: join(directory, 'bytes'), metadata });
  const file = new DatabaseSync(path);
  const tree = await open(sqliteKeyv(file));
  await tree.putBucket({ bucket: 'notes' });
  await tree.close();
  const error = await t.throwsAsync(open(`sqlite:${path}`));
  t.regex(String(error?.cause), /records\.db was written through Keyv.* docs\/databases\.md/);
  const again = await open(sqliteKeyv(file));
  t.is((await again.listBuckets()).buckets.length, 1);
  await again.close();
  file.close();
});
