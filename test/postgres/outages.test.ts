import type { MetadataStore } from '@bucketware/core';
import {
  type MetadataSnapshot,
  OutcomeUnknownError,
  UnreachableError,
} from '@bucketware/core/contracts';
import { type PostgresPool, postgresMetadata } from '@bucketware/postgres';
import test from 'ava';
import pg from 'pg';
import {
  administer,
  eventually,
  newTable,
  ownPostgres,
  sharedStores,
  withServer,
} from './fixtures.js';

const put = (key: string, value: unknown = key) => ({ key, value });

const END_CONNECTIONS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`;

withServer(await ownPostgres(), (server) => {
  test.serial(
    'a killed server loses no acknowledged commit, and its clients continue',
    async (t) => {
      const [first, second] = (await sharedStores(t, server, 2)) as [MetadataStore, MetadataStore];
      const kept = new Map<string, string>();
      for (let round = 0; round < 3; round++) {
        let failures = 0;
        const writing = Array.from({ length: 8 }, async (_, index) => {
          for (let number = 0; failures === 0; number++) {
            const key = `${round}/${index}/${number}`;
            const version = await (index % 2 ? first : second)
              .commit({ put: [put(key)] })
              .catch(() => void failures++);
            if (version !== undefined) kept.set(key, version);
          }
        });
        while (kept.size < (round + 1) * 100) await new Promise(setImmediate);
        await server.kill();
        await Promise.all(writing);
        t.true(failures > 0);
        await t.throwsAsync(first.get('k'), { message: /did not complete/ });
        await server.restart();
        await eventually(() => first.get('k'));
      }
      const found = await eventually(() => second.list({ prefix: '', limit: 100_000 }));
      const versions = new Map(found.map(({ key, version }) => [key, version]));
      for (const [key, version] of kept) t.is(versions.get(key), version);
    },
  );

  test.serial('connections that the server ends fail only their own calls', async (t) => {
    const [store] = (await sharedStores(t, server, 1)) as [MetadataStore];
    for (let round = 0; round < 5; round++) {
      await eventually(() => store.commit({ put: [put('k', round)] }));
      await administer(server, END_CONNECTIONS);
      t.is((await eventually(() => store.get('k')))?.value, round);
    }
  });

  test.serial('a snapshot whose connection the server ends fails alone', async (t) => {
    const [store] = (await sharedStores(t, server, 1)) as [MetadataStore];
    await store.commit({ put: [put('k')] });
    const snapshot = (await store.snapshot?.()) as MetadataSnapshot;
    t.is((await snapshot.list({ prefix: '', limit: 1 })).length, 1);
    await administer(server, END_CONNECTIONS);
    await t.throwsAsync(snapshot.list({ prefix: '', limit: 1 }), { message: /did not complete/ });
    await snapshot.close();
    t.is((await eventually(() => store.get('k')))?.value, 'k');
  });

  test.serial('a snapshot that opens too late gives its connection back', async (t) => {
    const pool = new pg.Pool({ connectionString: server.url, max: 1 });
    // Not awaited: it waits for connections that are in use, as they are when the test fails.
    t.teardown(() => void pool.end());
    const store = await postgresMetadata({ pool, table: newTable(), timeout: 200 });
    await store.commit({ put: [put('k')] });
    const busy = await pool.connect();
    await t.throwsAsync(async () => store.snapshot?.(), { instanceOf: UnreachableError });
    busy.release();
    t.is((await eventually(() => store.get('k')))?.value, 'k');
    t.is(pool.idleCount, 1);
    await store.close();
  });

  test.serial('a query that takes too long fails, and the next one succeeds', async (t) => {
    const table = newTable();
    const [patient] = (await sharedStores(t, server, 1, { table })) as [MetadataStore];
    const [store] = (await sharedStores(t, server, 1, { table, timeout: 200 })) as [MetadataStore];
    const sleeps = `CREATE FUNCTION ${table}_sleep() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(1); RETURN NEW; END $$`;
    const trigger = `CREATE TRIGGER slow BEFORE INSERT ON ${table} EXECUTE FUNCTION ${table}_sleep()`;
    await administer(server, sleeps, trigger);
    const sent = store.commit({ put: [put('slow')] });
    // It waits for the first one, because both change the same key.
    const waiting = store.commit({ put: [put('slow', 'never made')] });
    await t.throwsAsync(sent, { instanceOf: OutcomeUnknownError });
    await t.throwsAsync(waiting, { instanceOf: UnreachableError });
    t.is(await store.get('other'), undefined);
    t.truthy(await patient.commit({ put: [put('slow')] }));
    t.is((await patient.get('slow'))?.value, 'slow');
  });

  test.serial('a change that the server rejects fails alone', async (t) => {
    const table = newTable();
    const [store] = (await sharedStores(t, server, 1, { table })) as [MetadataStore];
    await administer(server, `ALTER TABLE ${table} ADD CHECK (octet_length(value) < 1000)`);
    const large = store.commit({ put: [put('large', 'x'.repeat(2000)), put('with')] });
    const others = [1, 2, 3].map((number) => store.commit({ put: [put(`k${number}`)] }));
    await t.throwsAsync(large, { message: /refused a statement: .*check constraint/ });
    for (const version of await Promise.all(others)) t.truthy(version);
    const entries = await store.list({ prefix: '', limit: 10 });
    t.deepEqual(
      entries.map(({ key }) => key),
      ['k1', 'k2', 'k3'],
    );
  });

  const TRANSLATED: readonly (readonly [code: string, severity: string, expected: string])[] = [
    ['55P03', 'ОШИБКА', 'EHOSTDOWN'],
    ['57014', 'FEHLER', 'EHOSTDOWN'],
    ['25006', 'FEHLER', 'EROFS'],
    ['53100', 'FEHLER', 'ENOSPC'],
    ['53100', 'PANIK', 'EIO'],
    ['53100', 'PANIC', 'EIO'],
    ['57P01', 'ВАЖНО', 'EIO'],
    ['58030', 'PANIK', 'EIO'],
    ['40003', 'FEHLER', 'EIO'],
  ];
  test.serial('a server may report errors in another language', async (t) => {
    const table = newTable();
    const pool = new pg.Pool({ connectionString: server.url });
    t.teardown(() => pool.end());
    let severity = '';
    const translated: PostgresPool = {
      on: (event, listener) => pool.on(event, listener),
      query: (query) =>
        pool.query(query).catch((error) => {
          const file = severity === 'FEHLER' ? 'md.c' : 'xlog.c';
          throw Object.assign(error, { severity, file });
        }),
    };
    const store = await postgresMetadata({ pool: translated, table });
    const raise = `CREATE FUNCTION ${table}_raise() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'No.' USING ERRCODE = convert_from(NEW.key, 'UTF8'); END $$`;
    const trigger = `CREATE TRIGGER raise BEFORE INSERT ON ${table} FOR EACH ROW
      EXECUTE FUNCTION ${table}_raise()`;
    await administer(server, raise, trigger);
    for (const [code, word, expected] of TRANSLATED) {
      severity = word;
      await t.throwsAsync(store.commit({ put: [put(code)] }), { code: expected }, code);
    }
    await store.close();
  });

  const SETTINGS: readonly (readonly [setting: string, message: RegExp])[] = [
    ['synchronous_commit = off', /synchronous_commit is off.*Turn it on/],
    ["default_transaction_isolation = 'serializable'", /Set default_transaction_isolation/],
    ['default_transaction_read_only = on', /read-only transaction/],
  ];
  for (const [setting, message] of SETTINGS) {
    test.serial(`a server with ${setting} is rejected, when it is opened and later`, async (t) => {
      const table = newTable();
      await (await postgresMetadata({ url: server.url, table })).close();
      const name = setting.split(' ')[0];
      const store = await postgresMetadata({ url: server.url, table });
      await administer(server, `ALTER ROLE postgres SET ${setting}`);
      try {
        // New connections use the setting.
        await administer(server, END_CONNECTIONS);
        await eventually(() => store.get('k'));
        await t.throwsAsync(store.commit({ put: [put('k')] }));
        if (name !== 'default_transaction_read_only') {
          await t.throwsAsync(postgresMetadata({ url: server.url, table }), { message });
        } else {
          const failure = await t.throwsAsync<NodeJS.ErrnoException>(
            store.commit({ put: [put('k')] }),
          );
          t.is(failure?.code, 'EROFS');
        }
      } finally {
        const writable = 'SET default_transaction_read_only = off';
        await administer(server, writable, `ALTER ROLE postgres RESET ${name}`);
        await store.close();
      }
    });
  }

  test.serial('a table that a crash would empty is rejected', async (t) => {
    const table = newTable();
    await (await postgresMetadata({ url: server.url, table })).close();
    await administer(server, `ALTER TABLE ${table} SET UNLOGGED`);
    const message = /not logged.*SET LOGGED/;
    await t.throwsAsync(postgresMetadata({ url: server.url, table }), { message });
  });
});

test('options are checked at once', async (t) => {
  const refused = (options: unknown, message: RegExp) =>
    t.throwsAsync(postgresMetadata(options as { url: string }), { instanceOf: TypeError, message });
  await refused({}, /either a url or a pool/);
  await refused(
    { url: 'postgres://x', pool: { query: () => undefined } },
    /either a url or a pool/,
  );
  await refused({ url: 'postgres://x', table: 'a-b' }, /table must be a name/);
  await refused({ url: 'postgres://x', durabilty: 'full' }, /Did you mean durability/);
  await refused({ pool: 'postgres://x' }, /pool must be a Pool/);
});
