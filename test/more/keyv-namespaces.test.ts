import { keyvMetadata, PostgresStore } from '@bucketware/keyv';
import { KeyvPostgres } from '@keyv/postgres';
import KeyvRedis, { type RedisClientType } from '@keyv/redis';
import KeyvValkey from '@keyv/valkey';
import { DatabaseSync } from '@photostructure/sqlite';
import test from 'ava';
import pg from 'pg';
import { KEYVS, newPrefix, sqliteFile } from '../keyv/fixtures.js';
import { type Missing, postgresServer, redisServer, type Server } from '../keyv/servers.js';

const servers = await Promise.all([redisServer(), postgresServer()]);
const [redis, postgres] = servers;
const file = sqliteFile();
const sqlite = { url: file.path, stop: () => file.remove() };

const redisKeys = async (url: string): Promise<string[]> => {
  const admin = (await new KeyvRedis(url).getClient()) as RedisClientType;
  const keys = await admin.keys('*');
  admin.destroy();
  return keys;
};

const postgresKeys =
  (table: string) =>
  async (url: string): Promise<string[]> => {
    const pool = new pg.Pool({ connectionString: url });
    const { rows } = await pool.query(`SELECT key FROM ${table}`);
    await pool.end();
    return rows.map(({ key }) => key);
  };

const sqliteKeys = async (path: string): Promise<string[]> => {
  const database = new DatabaseSync(path);
  const rows = database.prepare('SELECT key FROM keyv').all() as { key: string }[];
  database.close();
  return rows.map(({ key }) => key);
};

interface Case {
  readonly name: string;
  readonly server: Server | Missing;
  readonly open: (url: string) => object;
  /** All keys that the database contains. */
  readonly keys: (url: string) => Promise<string[]>;
}

/** It has one pool for the whole process, so its Keyvs cannot be disconnected separately. */
const keyvPostgres = typeof postgres === 'string' ? undefined : new KeyvPostgres(postgres.url);

const onPool = (url: string): object =>
  new PostgresStore(new pg.Pool({ connectionString: url, max: 2 }));

const ADAPTERS: readonly Case[] = [
  { name: '@keyv/redis', server: redis, open: (url) => new KeyvRedis(url), keys: redisKeys },
  { name: '@keyv/valkey', server: redis, open: (url) => new KeyvValkey(url), keys: redisKeys },
  {
    name: '@keyv/valkey without sets',
    server: redis,
    open: (url) => new KeyvValkey(url, { useRedisSets: false }),
    keys: redisKeys,
  },
  { name: 'PostgresStore', server: postgres, open: onPool, keys: postgresKeys('bucketware') },
  {
    name: '@keyv/postgres',
    server: postgres,
    open: () => keyvPostgres as KeyvPostgres,
    keys: postgresKeys('keyv'),
  },
  { name: 'SqliteStore', server: sqlite, open: () => file.open(), keys: sqliteKeys },
];

const puts = (of: string) => ({
  put: Array.from({ length: 60 }, (_, n) => ({ key: `${of}/${n}`, value: 'x'.repeat(400) })),
});

for (const { name, server, open, keys } of ADAPTERS) {
  for (const [version, keyvOn] of KEYVS) {
    for (const namespace of [undefined, '', 'team', 'a:b']) {
      const title = `${version} on ${name}, namespace ${JSON.stringify(namespace)}`;
      test.serial(
        `${title}: a store of one writer opens for several, and for one again`,
        async (t) => {
          if (typeof server === 'string') {
            t.log(`SKIPPED: ${server}.`);
            return t.pass();
          }
          const prefix = newPrefix();
          const disconnect = name !== '@keyv/postgres';
          let written = 0;
          for (const compareAndSet of [false, true, false]) {
            const keyv = keyvOn(open(server.url), namespace === undefined ? {} : { namespace });
            const store = await keyvMetadata(keyv, { prefix, compareAndSet, disconnect });
            t.is(store.writers, compareAndSet ? 'many' : 'one');
            t.is((await store.list({ prefix: '', limit: 999 })).length, written);
            t.truthy(await store.commit(puts(`${written}`)));
            written += 60;
            t.is((await store.list({ prefix: '', limit: 999 })).length, written);
            t.deepEqual((await store.check()).problems, []);
            await store.close();
            const left = (await keys(server.url)).filter((key) => key.includes(`${prefix}probe`));
            t.deepEqual(left, []);
          }
        },
      );
    }
  }
}

test.after.always('stop the servers', async () => {
  await keyvPostgres?.disconnect();
  for (const server of [...servers, sqlite]) if (typeof server !== 'string') await server.stop();
});
