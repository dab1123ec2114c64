import { keyvMetadata } from '@bucketware/keyv';
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
      await t.throwsAsync(commit(key), { name: 'RolledBackError', message: /Restart/ });
    await t.throwsAsync(async () => store.get('old/1'), { name: 'RolledBackError' });
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
