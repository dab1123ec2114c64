import { OutcomeUnknownError } from '@bucketware/core/contracts';
import { keyvMetadata, PostgresStore, SqliteStore } from '@bucketware/keyv';
import KeyvRedis, { type RedisClientType } from '@keyv/redis';
import KeyvValkey from '@keyv/valkey';
import { DatabaseSync } from '@photostructure/sqlite';
import test, { type ExecutionContext } from 'ava';
import { Keyv } from 'keyv';
import pg from 'pg';
import { KEYVS, newPrefix, sqliteFile } from './fixtures.js';
import { proveOverlaps } from './overlaps.js';
import { ownRedis, postgresServer, redisServer } from './servers.js';
import { proveSharing } from './shared.js';

const put = (key: string, value: unknown = key) => ({ put: [{ key, value }] });

function skip(t: ExecutionContext, why: string): void {
  t.log(`SKIPPED: ${why}.`);
  t.pass();
}

for (const [version, keyvOn] of KEYVS) {
  test(`${version}: every commit fails if Redis is out of memory or unavailable`, async (t) => {
    const server = await redisServer('--maxmemory', '3mb');
    if (typeof server === 'string') return skip(t, server);
    const adapter = new KeyvRedis(server.url);
    const keyv = keyvOn(adapter);
    const store = await keyvMetadata(keyv, { timeout: 2000 });
    const big = 'x'.repeat(100_000);
    const outcomes: unknown[] = [];
    for (let n = 0; n < 40; n++) {
      outcomes.push(await store.commit(put(`k${n}`, big)).catch((error: Error) => error));
    }
    const acknowledged = outcomes.flatMap((done, n) => (typeof done === 'string' ? [`k${n}`] : []));
    t.true(acknowledged.length > 0 && acknowledged.length < 40, String(outcomes.at(-1)));
    const found = await store.getMany(acknowledged);
    t.true(found.every((entry) => entry?.value === big));
    t.deepEqual((await store.check()).problems, []);
    await server.stop();
    await t.throwsAsync(store.get('k0'));
    await t.throwsAsync(store.commit(put('late')));
    await store.close();
    await adapter.disconnect(true);
  });
}

for (const [client, open] of [
  ['@keyv/redis', (url: string) => new Keyv({ store: new KeyvRedis(url) })],
  ['@keyv/valkey', (url: string) => new Keyv({ store: new KeyvValkey(url) })],
] as const) {
  test(`${client}: a server that may evict records is rejected`, async (t) => {
    const server = await redisServer('--maxmemory-policy', 'allkeys-lru');
    if (typeof server === 'string') return skip(t, server);
    const keyv = open(server.url);
    for (const compareAndSet of [true, false])
      await t.throwsAsync(keyvMetadata(keyv, { compareAndSet }), { message: /evict/ });
    await keyv.disconnect();
    await server.stop();
  });

  test(`${client}: a client of a replica is rejected`, async (t) => {
    const server = await ownRedis();
    if (typeof server === 'string') return skip(t, server);
    t.teardown(() => server.stop());
    const replica = await ownRedis('--replicaof', '127.0.0.1', new URL(server.url).port);
    if (typeof replica === 'string') return skip(t, replica);
    t.teardown(() => replica.stop());
    const keyv = open(replica.url);
    t.teardown(() => keyv.disconnect());
    const message = /reads from a replica.* replicaPoolSize/;
    for (const compareAndSet of [true, false])
      await t.throwsAsync(keyvMetadata(keyv, { compareAndSet }), { message });
  });

  test(`${client}: a server that responds before it has flushed is rejected, unless durability is relaxed`, async (t) => {
    const server = await ownRedis();
    if (typeof server === 'string') return skip(t, server);
    const admin = (await new KeyvRedis(server.url).getClient()) as RedisClientType;
    const prove = async (url: string, durability: 'full' | 'relaxed', compareAndSet = true) => {
      const keyv = open(url);
      try {
        const store = await keyvMetadata(keyv, { prefix: newPrefix(), durability, compareAndSet });
        t.truthy(await store.commit(put('a')));
        await store.close();
      } finally {
        await keyv.disconnect();
      }
    };
    await prove(server.url, 'full');
    for (const [name, lax, strict] of [
      ['appendfsync', 'everysec', 'always'],
      ['no-appendfsync-on-rewrite', 'yes', 'no'],
      ['appendonly', 'no', 'yes'],
    ] as const) {
      await admin.configSet(name, lax);
      const advice = `set ${name} ${strict} in its configuration file, or .*relaxed`;
      const message = new RegExp(`\\(${name} is ${lax}\\): ${advice}`);
      for (const compareAndSet of [true, false]) {
        const proving = prove(server.url, 'full', compareAndSet);
        await t.throwsAsync(proving, { instanceOf: TypeError, message });
      }
      await prove(server.url, 'relaxed');
      await admin.configSet(name, strict);
    }
    await admin.sendCommand(['ACL', 'SETUSER', 'app', 'on', '>pw', '~*', '+@all', '-config']);
    const hosted = server.url.replace('//', '//app:pw@');
    await t.throwsAsync(prove(hosted, 'full'), { message: /allow CONFIG GET, or .*relaxed/ });
    await prove(hosted, 'relaxed');
    await admin.sendCommand(['ACL', 'SETUSER', 'app', '-@dangerous']);
    for (const compareAndSet of [true, false]) {
      const proving = prove(hosted, 'full', compareAndSet);
      await t.throwsAsync(proving, { message: /allow INFO, or .*relaxed/ });
      await prove(hosted, 'relaxed', compareAndSet);
    }
    await admin.sendCommand(['ACL', 'SETUSER', 'app', '-@scripting']);
    const message = /allow EVAL, .*compareAndSet: false/;
    await t.throwsAsync(prove(hosted, 'relaxed'), { message });
    await prove(hosted, 'relaxed', false);
    await admin.sendCommand(['ACL', 'SETUSER', 'app', '+eval', '-mget']);
    await t.throwsAsync(prove(hosted, 'relaxed'), { message });
    t.deepEqual(await admin.keys('*probe*'), []);
    await prove(hosted, 'relaxed', false);
    admin.destroy();
    await server.stop();
  });
}

test('a Redis server on which INFO and EVAL have other names is treated like one that forbids them', async (t) => {
  const server = await ownRedis('--rename-command', 'INFO', '', '--rename-command', 'EVAL', '');
  if (typeof server === 'string') return skip(t, server);
  t.teardown(() => server.stop());
  const keyv = new Keyv({ store: new KeyvRedis(server.url) });
  t.teardown(() => keyv.disconnect());
  const open = (options: object) => keyvMetadata(keyv, options);
  await t.throwsAsync(open({}), { message: /allow INFO, or .*relaxed/ });
  await t.throwsAsync(open({ durability: 'relaxed' }), { message: /allow EVAL, / });
  const store = await open({ durability: 'relaxed', compareAndSet: false });
  t.is(store.writers, 'one');
  await store.close();
});

test('if PostgreSQL stops, every call fails and the process continues', async (t) => {
  if (process.env.TEST_POSTGRES_URL) return skip(t, 'that server is not ours to stop');
  const server = await postgresServer();
  if (typeof server === 'string') return skip(t, server);
  const pool = new pg.Pool({ connectionString: server.url });
  new PostgresStore(pool);
  const store = await keyvMetadata(new Keyv({ store: new PostgresStore(pool) }));
  t.is(pool.listenerCount('error'), 1);
  await store.commit(put('a'));
  await server.stop();
  await t.throwsAsync(store.get('a'));
  await t.throwsAsync(store.list({ prefix: '', limit: 1 }));
  await t.throwsAsync(store.commit(put('b')));
  await store.close();
  await pool.end();
});

test('a full disk stops PostgreSQL with an unknown outcome, or makes it refuse the change', async (t) => {
  const server = await postgresServer();
  if (typeof server === 'string') return skip(t, server);
  const pool = new pg.Pool({ connectionString: server.url });
  let failure: object | undefined;
  const failing = Object.create(pool, {
    connect: {
      value: async () => {
        const client = await pool.connect();
        const query = async (given: pg.QueryConfig) => {
          const result = await client.query(given);
          if (failure === undefined || !/INSERT|UPDATE/.test(given.text)) return result;
          throw Object.assign(new Error('No space left on device'), failure);
        };
        return Object.create(client, { query: { value: query } });
      },
    },
  });
  const store = await keyvMetadata(new Keyv({ store: new PostgresStore(failing) }));
  const outcome = async (given: object): Promise<unknown> => {
    failure = { code: '53100', ...given };
    return store.commit(put('a')).catch((error) => error instanceof OutcomeUnknownError);
  };
  t.true(await outcome({ severity: 'PANIC', file: 'xlog.c' }));
  t.true(await outcome({ severity: 'PANIK', file: 'xlog.c' }));
  t.false(await outcome({ severity: 'ERROR', file: 'md.c' }));
  t.false(await outcome({ severity: 'FEHLER', file: 'md.c' }));
  failure = undefined;
  await store.close();
  await server.stop();
});

test('a process that opens a PostgreSQL table does not wait for those that read it', async (t) => {
  const server = await postgresServer();
  if (typeof server === 'string') return skip(t, server);
  const pool = new pg.Pool({ connectionString: server.url });
  const open = () => keyvMetadata(new Keyv({ store: new PostgresStore(pool) }), { timeout: 3000 });
  const store = await open();
  await store.commit(put('a'));
  // As pg_dump does.
  const reader = await pool.connect();
  await reader.query('BEGIN');
  await reader.query('SELECT count(*) FROM bucketware');
  const another = await open();
  t.truthy(await another.commit(put('b')));
  t.is((await store.get('b'))?.value, 'b');
  await reader.query('COMMIT');
  reader.release();
  await Promise.all([store.close(), another.close()]);
  await pool.end();
  await server.stop();
});

test('a PostgreSQL table of an earlier version gets the settings of this one', async (t) => {
  const server = await postgresServer();
  if (typeof server === 'string') return skip(t, server);
  const pool = new pg.Pool({ connectionString: server.url });
  await pool.query('CREATE TABLE earlier (key TEXT COLLATE "C" PRIMARY KEY, value TEXT NOT NULL)');
  const state = () =>
    pool.query(`SELECT attstorage, reloptions FROM pg_class JOIN pg_attribute ON attrelid = oid
      WHERE oid = 'earlier'::regclass AND attname = 'value'`);
  const store = new PostgresStore(pool, { table: 'earlier' });
  t.is(await store.get('a'), undefined);
  t.deepEqual((await state()).rows, [{ attstorage: 'e', reloptions: ['toast_tuple_target=8160'] }]);
  await pool.query('ALTER TABLE earlier ALTER COLUMN value SET STORAGE EXTENDED');
  const reader = await pool.connect();
  await reader.query('BEGIN');
  await reader.query('SELECT count(*) FROM earlier');
  await t.throwsAsync(new PostgresStore(pool, { table: 'earlier' }).get('a'), {
    message: /lock timeout/,
  });
  await reader.query('COMMIT');
  reader.release();
  await pool.end();
  await server.stop();
});

test('a PostgreSQL that responds before it has flushed is rejected, unless durability is relaxed', async (t) => {
  const server = await postgresServer();
  if (typeof server === 'string') return skip(t, server);
  const options = '-c synchronous_commit=off';
  const open = (durability: 'full' | 'relaxed') => {
    const pool = new pg.Pool({ connectionString: server.url, options });
    const keyv = new Keyv({ store: new PostgresStore(pool) });
    return { pool, opening: keyvMetadata(keyv, { prefix: newPrefix(), durability }) };
  };
  const strict = open('full');
  await t.throwsAsync(strict.opening, { message: /synchronous_commit is off/ });
  const relaxed = open('relaxed');
  const store = await relaxed.opening;
  t.truthy(await store.commit(put('a')));
  await store.close();
  for (const { pool } of [strict, relaxed]) await pool.end();
  await server.stop();
});

test('several writers share a SQLite file', async (t) => {
  const file = sqliteFile();
  await proveSharing(() => new Keyv({ store: file.open() }), newPrefix());
  await file.remove();
  t.pass();
});

test('a process without compare-and-set stops the writers of a SQLite file and finds their commits', async (t) => {
  const file = sqliteFile();
  await proveOverlaps(() => new Keyv({ store: file.open() }), newPrefix());
  await file.remove();
  t.pass();
});

test('SQLite flushes each commit, unless durability is relaxed', (t) => {
  for (const [durability, level] of [
    ['full', 3],
    ['relaxed', 1],
  ] as const) {
    const database = new DatabaseSync(':memory:');
    new SqliteStore(database, { durability });
    t.deepEqual(Object.values(database.prepare('PRAGMA synchronous').get() as object), [level]);
    database.close();
  }
});
