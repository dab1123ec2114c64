import { postgresMetadata } from '@bucketware/postgres';
import test from 'ava';
import pg from 'pg';
import { postgresServer } from '../keyv/servers.js';
import { administer, newTable, withServer } from './fixtures.js';

const put = (key: string) => ({ put: [{ key, value: key }] });
const all = { prefix: '', limit: 9 };
const replaced = { message: /The table of the records was replaced while it was in use/ };

withServer(await postgresServer(), (server) => {
  const open = (table: string, schema = 'public') => {
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
    const first = await open(table);
    await first.commit(put('first'));
    await administer(server, `DROP TABLE ${table}`);
    const second = await open(table);
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
    const inBlue = await open(table, blue);
    const inGreen = await open(table, green);
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
