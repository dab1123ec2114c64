import type { MetadataStore } from '@bucketware/core';
import { keyvMetadata, PostgresStore } from '@bucketware/keyv';
import { postgresMetadata } from '@bucketware/postgres';
import KeyvPostgres from '@keyv/postgres';
import test from 'ava';
import { Keyv } from 'keyv';
import pg from 'pg';
import { until } from '../drivers/fixtures.js';
import { postgresServer } from '../keyv/servers.js';
import { administer, newTable, withServer } from './fixtures.js';

const put = (key: string) => ({ put: [{ key, value: key }] });

const all = { prefix: '', limit: 9 };
const replaced = { message: /The table of the records was replaced while it was in use/ };

const STORES: Readonly<Record<string, (pool: pg.Pool, table: string) => Promise<MetadataStore>>> = {
  postgresMetadata: (pool, table) => postgresMetadata({ pool, table }),
  PostgresStore: (pool, table) =>
    keyvMetadata(new Keyv({ store: new PostgresStore(pool, { table }) })),
};

withServer(await postgresServer(), (server) => {
  test('a lost sequence continues after the versions in use', async (t) => {
    const table = newTable();
    const pool = new pg.Pool({ connectionString: server.url });
    const store = await postgresMetadata({ pool, table });
    for (const key of ['a', 'b', 'c']) await store.commit(put(key));
    await store.close();
    const last = async () =>
      BigInt((await pool.query(`SELECT max(version) FROM ${table}`)).rows[0].max);
    const before = await last();
    await pool.query(`DROP SEQUENCE ${table}_versions`);
    const again = await postgresMetadata({ pool, table });
    await again.commit({ put: [{ key: 'a', value: 'new' }] });
    t.true((await last()) > before);
    await again.close();
    await pool.end();
  });

  for (const [name, open] of Object.entries(STORES)) {
    test(`${name}: the schema is that of the opening, whatever the app does to the search path`, async (t) => {
      const table = newTable();
      const [one, two] = [`A${table}`, `${table}-"b'`];
      await administer(server, ...[one, two].map((schema) => `CREATE SCHEMA ${quoted(schema)}`));
      const pools = [one, two].map(
        (schema) => new pg.Pool({ connectionString: server.url, options: pathOf(schema), max: 1 }),
      ) as [pg.Pool, pg.Pool];
      const [first, second] = [await open(pools[0], table), await open(pools[1], table)];
      await first.commit(put('first'));
      await second.commit(put('second'));
      await pools[0].query(`SET search_path = ${quoted(two)}`);
      t.is((await first.get('first'))?.value, 'first');
      t.is(await first.get('second'), undefined);
      await first.commit(put('later'));
      t.is(await second.get('later'), undefined);
      t.deepEqual(
        (await first.list({ prefix: '', limit: 9 })).map(({ key }) => key),
        ['first', 'later'],
      );
      const snapshot = await first.snapshot?.();
      t.is((await snapshot?.list({ prefix: '', limit: 9 }))?.length ?? 2, 2);
      await snapshot?.close();
      await Promise.all([first.close(), second.close()]);
      await Promise.all(pools.map((pool) => pool.end()));
    });

    test(`${name}: a table in a later schema of the search path is neither used nor hidden`, async (t) => {
      const table = newTable();
      const own = `own${table}`;
      await administer(server, `CREATE SCHEMA ${own}`);
      const pool = new pg.Pool({ connectionString: server.url });
      const store = await open(pool, table);
      await store.commit(put('a'));
      const options = pathOf(`${own},public`);
      const another = new pg.Pool({ connectionString: server.url, options });
      const message = new RegExp(
        `exists in the schema public, but .* is ${own}.* put public first`,
      );
      const error = await t.throwsAsync(open(another, table));
      t.regex(String(error?.cause ?? error), message);
      t.is(
        (await another.query(`SELECT to_regclass('${own}.${table}') AS made`)).rows[0].made,
        null,
      );
      const elsewhere = await open(another, `${table}2`);
      await elsewhere.commit(put('b'));
      t.is(await store.get('b'), undefined);
      t.not(
        (await another.query(`SELECT to_regclass('${own}.${table}2') AS made`)).rows[0].made,
        null,
      );
      await Promise.all([store.close(), elsewhere.close()]);
      await Promise.all([pool.end(), another.end()]);
    });
  }

  for (const [name, open] of Object.entries(STORES)) {
    test(`${name}: a schema may be renamed, and another one may get its name`, async (t) => {
      const table = newTable();
      const [blue, green] = [`blue${table}`, `green${table}`];
      const poolAt = (schema: string) =>
        new pg.Pool({ connectionString: server.url, options: pathOf(schema) });
      for (const schema of [blue, green]) {
        await administer(server, `CREATE SCHEMA ${schema}`);
        const pool = poolAt(schema);
        const store = await open(pool, table);
        await store.commit(put(`in ${schema}`));
        await store.close();
        await pool.end();
      }
      await administer(
        server,
        `ALTER SCHEMA ${blue} RENAME TO old${table}`,
        `ALTER SCHEMA ${green} RENAME TO ${blue}`,
      );
      const pools = [poolAt(`old${table}`), poolAt(blue)] as const;
      const first = await open(pools[0], table);
      const second = await open(pools[1], table);
      await first.commit(put('later'));
      t.is((await first.get('later'))?.value, 'later');
      t.is(await second.get('later'), undefined);
      await second.commit(put('latest'));
      const keysIn = async (store: MetadataStore) =>
        (await store.list({ prefix: '', limit: 9 })).map(({ key }) => key);
      t.deepEqual(await keysIn(first), [`in ${blue}`, 'later']);
      t.deepEqual(await keysIn(second), [`in ${green}`, 'latest']);
      await Promise.all([first.close(), second.close()]);
      await Promise.all(pools.map((pool) => pool.end()));
    });
  }

  test('Keyv: a table that a crash would empty is rejected', async (t) => {
    const table = newTable();
    const pool = new pg.Pool({ connectionString: server.url });
    const message = new RegExp(`The table public.${table} is not logged.*${table} SET LOGGED`);
    for (const create of [
      () => new PostgresStore(pool, { table }),
      () => new KeyvPostgres({ uri: server.url, table }),
    ]) {
      const adapter = create();
      const keyv = new Keyv({ store: adapter });
      await (await keyvMetadata(keyv, { durability: 'relaxed' })).close();
      await administer(server, `ALTER TABLE ${table} SET UNLOGGED`);
      for (const durability of ['relaxed', 'full'] as const)
        await t.throwsAsync(keyvMetadata(keyv, { durability }), { message });
      await administer(server, `DROP TABLE ${table}`);
      // Ends the pool, too.
      await adapter.disconnect();
    }
    // `@keyv/postgres` has no listener for a connection that the server ends.
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    const left = `SELECT 1 FROM pg_stat_activity WHERE query LIKE '%${table}%' AND pid <> pg_backend_pid()`;
    await until(async () => (await admin.query(left)).rows.length === 0);
    await admin.end();
  });

  const openIn = (table: string, schema = 'public') => {
    const pool = new pg.Pool({
      connectionString: server.url,
      options: `-c search_path=${schema}`,
      max: 2,
    });
    return postgresMetadata({ pool, table }).then((store) => ({
      ...{ get: store.get.bind(store), list: store.list.bind(store) },
      commit: store.commit.bind(store),
      snapshot: store.snapshot?.bind(store),
      close: () => store.close().then(() => pool.end()),
    }));
  };

  test('a process neither reads nor changes another table that took the place of its own', async (t) => {
    const table = newTable();
    const first = await openIn(table);
    await first.commit(put('first'));
    await administer(server, `DROP TABLE ${table}`);
    const second = await openIn(table);
    await second.commit(put('second'));
    for (const call of [
      () => first.get('second'),
      () => first.list(all),
      () => first.list({ ...all, delimiter: '/' }),
      () => first.snapshot?.(),
      () => first.commit(put('later')),
      () => first.commit({ expect: [{ key: 'second', version: undefined }] }),
    ]) {
      await t.throwsAsync(async () => call(), replaced);
    }
    t.is(await first.get('first'), undefined);
    t.deepEqual(
      (await second.list(all)).map(({ key }) => key),
      ['second'],
    );
    await Promise.all([first.close(), second.close()]);
  });

  test('two schemas that change their names do not mix the data of running processes', async (t) => {
    const table = newTable();
    const [blue, green] = [`blue${table}`, `green${table}`];
    await administer(server, `CREATE SCHEMA ${blue}`, `CREATE SCHEMA ${green}`);
    const inBlue = await openIn(table, blue);
    const inGreen = await openIn(table, green);
    await inBlue.commit(put('same'));
    await inGreen.commit(put('same'));
    await administer(
      server,
      `BEGIN; ALTER SCHEMA ${blue} RENAME TO old${table};
       ALTER SCHEMA ${green} RENAME TO ${blue}; ALTER SCHEMA old${table} RENAME TO ${green}; COMMIT`,
    );
    for (const store of [inBlue, inGreen]) {
      await t.throwsAsync(store.get('same'), replaced);
      await t.throwsAsync(store.list(all), replaced);
    }
    await Promise.all([inBlue.close(), inGreen.close()]);
  });

  test('a view or a sequence with the name of the table is refused', async (t) => {
    for (const create of ['VIEW $ AS SELECT 1 AS key', 'SEQUENCE $']) {
      const table = newTable();
      await administer(server, `CREATE ${create.replace('$', table)}`);
      const message = new RegExp(`public\\.${table} exists, but is not a table`);
      await t.throwsAsync(postgresMetadata({ url: server.url, table }), { message });
    }
  });

  test('a connection that reads backslashes in its own way does not matter', async (t) => {
    const options = '-c standard_conforming_strings=off -c backslash_quote=off';
    const pool = new pg.Pool({ connectionString: server.url, options });
    const store = await postgresMetadata({ pool, table: newTable() });
    await store.commit(put('a/1'));
    await store.commit(put('b'));
    t.is((await store.list({ ...all, delimiter: '/' })).length, 2);
    await store.close();
    await pool.end();
  });
});

const quoted = (schema: string) => `"${schema.replaceAll('"', '""')}"`;

/** The option of a connection. */
const pathOf = (schema: string) =>
  `-c search_path=${schema.includes(',') ? schema : quoted(schema)}`;
