import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, connect as dial, type Socket } from 'node:net';
import type { MetadataStore } from '@bucketware/core';
import { keyvMetadata, PostgresStore } from '@bucketware/keyv';
import { postgresMetadata } from '@bucketware/postgres';
import test from 'ava';
import { Keyv } from 'keyv';
import pg from 'pg';
import { postgresServer } from '../keyv/servers.js';
import { eventually, newTable, withServer } from './fixtures.js';

const put = (key: string) => ({ put: [{ key, value: key }] });

type Open = (pool: pg.Pool, table: string, timeout?: number) => Promise<MetadataStore>;

/** The stores that take a pool of the app. */
const STORES: Readonly<Record<string, Open>> = {
  postgresMetadata: (pool, table, timeout) => postgresMetadata({ pool, table, timeout }),
  PostgresStore: (pool, table, timeout) =>
    keyvMetadata(new Keyv({ store: new PostgresStore(pool, { table, timeout }) }), { timeout }),
};

withServer(await postgresServer(), (server) => {
  for (const [name, open] of Object.entries(STORES)) {
    test(`${name}: no commit is part of a transaction that the app has left open`, async (t) => {
      const pool = new pg.Pool({ connectionString: server.url, max: 1 });
      const table = newTable();
      const store = await open(pool, table);
      for (const statements of [['BEGIN'], ['BEGIN', 'SELECT 1/0']]) {
        const client = await pool.connect();
        for (const statement of statements) await client.query(statement).catch(() => {});
        client.release();
        const key = statements.join(' ');
        await store.commit(put(key));
        const another = new pg.Pool({ connectionString: server.url });
        const elsewhere = await open(another, table);
        t.is((await elsewhere.get(key))?.value, key);
        await elsewhere.close();
        await another.end();
      }
      await store.close();
      await pool.end();
    });

    test(`${name}: no commit succeeds in a transaction that is still beginning`, async (t) => {
      const pool = new pg.Pool({ connectionString: server.url, max: 1 });
      const table = newTable();
      const store = await open(pool, table);
      const client = await pool.connect();
      // Nobody waits for it.
      const beginning = client.query('BEGIN');
      client.release();
      const isDone = await store.commit(put('a')).then(Boolean, () => false);
      await beginning.catch(() => {});
      await eventually(() => store.commit(put('b')));
      const another = new pg.Pool({ connectionString: server.url });
      const elsewhere = await open(another, table);
      t.is((await elsewhere.get('b'))?.value, 'b');
      t.true(!isDone || (await elsewhere.get('a')) !== undefined);
      await Promise.all([store.close(), elsewhere.close()]);
      await Promise.all([pool.end(), another.end()]);
    });

    test(`${name}: a Client is no pool`, async (t) => {
      const client = new pg.Client({ connectionString: server.url });
      const message = /a Pool of the package pg, not a Client/;
      await t.throwsAsync(async () => open(client as never, newTable()), { message });
    });

    test(`${name}: connections that fall silent are replaced`, async (t) => {
      const links: Socket[] = [];
      const proxy = createServer((near) => {
        const { port, hostname } = new URL(server.url);
        const far = dial(Number(port), hostname);
        for (const socket of [near, far]) socket.on('error', () => {});
        near.pipe(far).pipe(near);
        links.push(near, far);
      }).listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      const url = new URL(server.url);
      url.hostname = '127.0.0.1';
      url.port = String((proxy.address() as AddressInfo).port);
      const pool = new pg.Pool({
        connectionString: url.href,
        max: 2,
        connectionTimeoutMillis: 500,
      });
      const store = await open(pool, newTable(), 1500);
      await store.commit(put('a'));
      for (const link of links) link.unpipe().pause();
      await t.throwsAsync(Promise.all([store.get('a'), store.get('b'), store.get('c')]));
      t.is((await eventually(() => store.get('a')))?.value, 'a');
      await eventually(() => store.commit(put('b')));
      t.is((await store.get('b'))?.value, 'b');
      await store.close();
      for (const link of links) link.destroy();
      proxy.close();
      await pool.end();
    });
  }

  test('Keyv: a commit is flushed although the app has turned synchronous_commit off', async (t) => {
    const pool = new pg.Pool({ connectionString: server.url, max: 1 });
    const table = newTable();
    const seen: string[] = [];
    const store = await keyvMetadata(new Keyv({ store: new PostgresStore(pool, { table }) }));
    await pool.query('SET synchronous_commit = off');
    // Deferred to the commit, so it sees the setting with which the transaction commits.
    await pool.query(`CREATE FUNCTION ${table}_seen() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE NOTICE 'commit with %', current_setting('synchronous_commit'); RETURN NULL; END $$`);
    await pool.query(`CREATE CONSTRAINT TRIGGER seen AFTER INSERT OR UPDATE ON ${table}
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ${table}_seen()`);
    const client = await pool.connect();
    client.on('notice', ({ message }) => seen.push(String(message)));
    client.release();
    await store.commit(put('a'));
    t.true(seen.length > 0);
    t.deepEqual([...new Set(seen)], ['commit with on']);
    await store.close();
    await pool.end();
  });
});
