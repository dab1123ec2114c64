import { keyvMetadata, RolledBackError, SqliteStore } from '@bucketware/keyv';
import { DatabaseSync } from '@photostructure/sqlite';
import test from 'ava';
import Keyv from 'keyv';

const differences = (one: Map<string, unknown>, other: Map<string, unknown>) =>
  [...new Set([...one.keys(), ...other.keys()])].filter((key) => one.get(key) !== other.get(key));

for (const lost of [1, 20, 700]) {
  test(`a database that has lost ${lost} commits is not changed any more, and opens again`, async (t) => {
    const database = new Map<string, unknown>();
    const open = () => keyvMetadata(new Keyv({ store: database }), { allowMemory: true });
    const commit = (key: string) => store.commit({ put: [{ key, value: 'x'.repeat(200) }] });
    let store = await open();
    for (let number = 0; number < 300; number++) await commit(`old/${number}`);
    const earlier = new Map(database);
    const loseCommits = async (before: Map<string, unknown>) => {
      for (let number = 0; number < lost; number++) await commit(`lost/${number}`);
      database.clear();
      for (const [key, value] of before) database.set(key, value);
    };
    await loseCommits(earlier);
    for (const key of ['new/1', 'new/2'])
      await t.throwsAsync(commit(key), { instanceOf: RolledBackError, message: /Restart/ });
    await t.throwsAsync(async () => store.get('old/1'), { instanceOf: RolledBackError });
    await store.close();
    t.deepEqual(differences(database, earlier), []);

    store = await open();
    const found = await store.list({ prefix: '', limit: 1000 });
    t.is(found.length, 300);
    await commit('new/1');
    await store.close();

    // Also if nothing was committed in between.
    store = await open();
    const before = new Map(database);
    await loseCommits(before);
    await store.close();
    t.deepEqual(differences(database, before), []);
  });
}

for (const lost of [1, 20]) {
  test(`the only writer notices that a database with compare-and-set has lost ${lost} commits`, async (t) => {
    const database = new DatabaseSync(':memory:');
    const adapter = new SqliteStore(database);
    const open = () =>
      keyvMetadata(new Keyv({ store: adapter }), { writers: 'one', allowMemory: true });
    const store = await open();
    const commit = (key: string) => store.commit({ put: [{ key, value: 'x' }] });
    await commit('old');
    database.exec('CREATE TABLE earlier AS SELECT * FROM keyv');
    for (let number = 0; number < lost; number++) await commit(`lost/${number}`);
    database.exec('DELETE FROM keyv; INSERT INTO keyv SELECT * FROM earlier');
    await t.throwsAsync(commit('new'), { instanceOf: RolledBackError });
    await t.throwsAsync(async () => store.get('old'), { instanceOf: RolledBackError });
    await store.close();

    const again = await open();
    t.deepEqual(
      (await again.list({ prefix: '', limit: 9 })).map(({ key }) => key),
      ['old'],
    );
    await again.close();
    await adapter.disconnect();
  });
}
