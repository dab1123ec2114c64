import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createObjectStorage, memoryBlobs } from '@bucketware/core';
import { keyvMetadata, PostgresStore, SqliteStore } from '@bucketware/keyv';
import KeyvRedis from '@keyv/redis';
import { DatabaseSync } from '@photostructure/sqlite';
import test, { type ExecutionContext } from 'ava';
import { Keyv } from 'keyv';
import pg from 'pg';
import { temporaryDirectory } from '../drivers/fixtures.js';
import { listen, onNode } from '../http/servers.js';
import { sqliteFile } from './fixtures.js';
import { ownPostgres, ownRedis } from './servers.js';

const run = promisify(execFile);
const body = 'x'.repeat(60_000);
const asAlice = { headers: { authorization: 'Bearer alice' } };

interface Stage {
  put(key: string): Promise<number>;
  get(key: string): Promise<number>;
  close(): Promise<void>;
}

/** A server with records in this adapter. */
async function serve(store: unknown): Promise<Stage> {
  const keyv = new Keyv({ store: store as Map<string, unknown> });
  const metadata = await keyvMetadata(keyv, { disconnect: true });
  const onError = () => undefined;
  const storage = await createObjectStorage({ metadata, blobs: memoryBlobs(), onError });
  const server = await listen(onNode(storage, {}));
  const call = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${server.origin}/full${path}`, { ...asAlice, ...init });
    await response.arrayBuffer();
    return response.status;
  };
  await call('', { method: 'PUT' });
  return {
    put: (key) => call(`/${key}`, { method: 'PUT', body }),
    get: (key) => call(`/${key}`),
    async close() {
      await server.close();
      await storage.close();
    },
  };
}

/** Writes until the database is full, and then reads everything that was written. */
async function proveFull(t: ExecutionContext, { put, get }: Stage): Promise<void> {
  let stored = 0;
  let status = await put('k0');
  while (status === 200 && stored < 200) status = await put(`k${++stored}`);
  t.is(status, 507);
  t.true(stored > 0);
  t.is(await get('k0'), 200);
  t.is(await get(`k${stored - 1}`), 200);
  t.is(await get(`k${stored}`), 404);
}

function skip(t: ExecutionContext, why: string): void {
  t.log(`SKIPPED: ${why}.`);
  t.pass();
}

test('a full SQLite database is status 507, and works again when there is space', async (t) => {
  const database = new DatabaseSync(':memory:');
  const stage = await serve(new SqliteStore(database));
  database.exec('PRAGMA max_page_count = 300');
  await proveFull(t, stage);
  database.exec('PRAGMA max_page_count = 3000');
  t.is(await stage.put('late'), 200);
  await stage.close();
});

test('a read-only SQLite database is status 503', async (t) => {
  const database = new DatabaseSync(':memory:');
  const stage = await serve(new SqliteStore(database));
  database.exec('PRAGMA query_only = ON');
  t.is(await stage.put('k'), 503);
  await stage.close();
});

test('changes wait for a locked SQLite database, without blocking the process', async (t) => {
  const file = sqliteFile();
  const stage = await serve(file.open());
  t.is(await stage.put('k'), 200);
  const other = new DatabaseSync(file.path);
  other.exec('BEGIN EXCLUSIVE');
  const put = stage.put('k2');
  t.is(await stage.get('k'), 200);
  await sleep(500);
  other.exec('COMMIT');
  other.close();
  t.is(await put, 200);
  await stage.close();
  await file.remove();
});

test('a failed rollback does not hide why the commit failed', async (t) => {
  const database = new DatabaseSync(':memory:');
  const store = new SqliteStore({
    prepare: (sql) => database.prepare(sql),
    close: () => database.close(),
    exec(sql) {
      if (sql === 'COMMIT') throw new Error('the disk is gone');
      database.exec(sql);
      if (sql === 'ROLLBACK') throw new Error('no transaction is active');
    },
  });
  await store.set('c', 'v');
  const claim = ['c', 'v'] as const;
  const swap = { key: 'k', from: undefined, claim, to: 'v', put: [], delete: [] };
  await t.throwsAsync(store.swap(swap), { message: 'the disk is gone' });
  await store.disconnect();
});

test('a Redis that is out of memory is status 507', async (t) => {
  const server = await ownRedis('--maxmemory', '4mb');
  if (typeof server === 'string') return skip(t, server);
  const stage = await serve(new KeyvRedis(server.url));
  await proveFull(t, stage);
  await stage.close();
  await server.stop();
});

test('a PostgreSQL whose disk is full is status 507', async (t) => {
  const server = await ownPostgres();
  if (typeof server === 'string') return skip(t, server);
  const { path, remove } = await temporaryDirectory();
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', path]);
  } catch {
    await remove();
    await server.stop();
    return skip(t, 'no small disk can be mounted here');
  }
  await run('chown', ['postgres:', path]);
  const options = '-c default_tablespace=small';
  const pool = new pg.Pool({ connectionString: server.url });
  await pool.query(`CREATE TABLESPACE small LOCATION '${path}'`);
  await pool.end();
  const small = new pg.Pool({ connectionString: server.url, options });
  const stage = await serve(new PostgresStore(small));
  await proveFull(t, stage);
  await stage.close();
  await server.stop();
  await run('umount', ['-l', path]);
  await remove();
});
