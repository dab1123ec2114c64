import { setTimeout as sleep } from 'node:timers/promises';
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

for (const between of [false, true]) {
  const when = between ? 'after another process has committed' : 'at once';
  test(`a commit that the client of the database repeats ${when} counts once, and as done`, async (t) => {
    const database = new DatabaseSync(':memory:');
    const adapter = new SqliteStore(database);
    const open = (store: unknown) =>
      keyvMetadata(new Keyv({ store: store as SqliteStore }), { allowMemory: true });
    const other = await open(adapter);
    let repeats = 0;
    class Repeating extends SqliteStore {
      override async swap(swap: Parameters<SqliteStore['swap']>[0]): Promise<boolean> {
        const done = await super.swap(swap);
        if (repeats === 0) return done;
        repeats--;
        if (between) await other.commit({ put: [{ key: 'other', value: repeats }] });
        return super.swap(swap);
      }
    }
    const store = await open(new Repeating(database));
    const value = 'x'.repeat(200);
    const first = await store.commit({ put: [{ key: 'a', value }] });
    repeats = 1;
    const second = await store.commit({
      expect: [{ key: 'a', version: first }],
      put: [{ key: 'a', value: 'second' }],
    });
    t.is(repeats, 0);
    t.like(await store.get('a'), { value: 'second', version: second });
    t.is((await other.get('other')) !== undefined, between);
    t.deepEqual((await store.check()).problems, []);
    await store.close();
    await other.close();
    await adapter.disconnect();
  });
}

test('only one of two processes deletes the last record', async (t) => {
  const database = new DatabaseSync(':memory:');
  const waiting: (() => void)[] = [];
  let holds = false;
  /** Two swaps begin from the same root. */
  class Meeting extends SqliteStore {
    override async swap(swap: Parameters<SqliteStore['swap']>[0]): Promise<boolean> {
      if (holds) {
        await new Promise<void>((resolve) => {
          if (waiting.push(resolve) === 2) for (const go of waiting) go();
        });
      }
      return super.swap(swap);
    }
  }
  const open = () =>
    keyvMetadata(new Keyv({ store: new Meeting(database) }), { allowMemory: true });
  const stores = [await open(), await open()] as const;
  const version = await stores[0].commit({ put: [{ key: 'last', value: 1 }] });
  t.is((await stores[1].get('last'))?.version, version);
  holds = true;
  const change = { expect: [{ key: 'last', version }], delete: ['last'] };
  const ends = await Promise.all(stores.map((store) => store.commit(change)));
  holds = false;
  t.is(ends.filter((end) => end !== undefined).length, 1);
  await Promise.all(stores.map((store) => store.close()));
  database.close();
});

test('a sole writer goes on after a failed commit that took effect late', async (t) => {
  const database = new DatabaseSync(':memory:');
  let late: (() => Promise<unknown>) | undefined;
  let breaks = false;
  class Late extends SqliteStore {
    override async swap(swap: Parameters<SqliteStore['swap']>[0]): Promise<boolean> {
      if (!breaks) return super.swap(swap);
      breaks = false;
      late = () => super.swap(swap);
      throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    }

    /** The change takes effect after the writer has looked whether it did. */
    override async get(key: string): Promise<unknown> {
      const value = await super.get(key);
      if (key.endsWith('root')) {
        await late?.();
        late = undefined;
      }
      return value;
    }
  }
  const adapter = new Late(database);
  const store = await keyvMetadata(new Keyv({ store: adapter }), {
    ...{ writers: 'one', allowMemory: true, timeout: 5000 },
  });
  const commit = (key: string) => store.commit({ put: [{ key, value: key }] });
  await commit('a');
  breaks = true;
  await t.throwsAsync(commit('b'));
  for (const key of ['c', 'd']) t.truthy(await commit(key));
  t.is(late, undefined);
  const found = await store.list({ prefix: '', limit: 9 });
  t.is(found.map(({ key }) => key).join(), 'a,b,c,d');
  t.deepEqual((await store.check()).problems, []);
  await store.close();
  await adapter.disconnect();
});

test('a connection that stays silent during a commit does not stop later commits', async (t) => {
  const database = new DatabaseSync(':memory:');
  let isSilent = false;
  class Silent extends SqliteStore {
    override swap(swap: Parameters<SqliteStore['swap']>[0]): Promise<boolean> {
      if (!isSilent) return super.swap(swap);
      isSilent = false;
      return new Promise(() => {});
    }
  }
  const adapter = new Silent(database);
  for (const writers of ['one', 'many'] as const) {
    const store = await keyvMetadata(new Keyv({ store: adapter }), {
      ...{ writers, prefix: `${writers}:`, allowMemory: true, timeout: 300 },
    });
    const commit = (key: string) => store.commit({ put: [{ key, value: key }] });
    await commit('a');
    isSilent = true;
    await t.throwsAsync(commit('b'), { name: 'OutcomeUnknownError' });
    for (const key of ['c', 'd']) t.truthy(await commit(key));
    const found = await store.list({ prefix: '', limit: 9 });
    t.is(found.map(({ key }) => key).join(), 'a,c,d');
    await store.close().catch(() => {}); // It may report the call that never ended.
  }
  await adapter.disconnect();
});

test('the root of a failed commit that arrives late is intact, and does not undo later commits', async (t) => {
  const values = new Map<string, unknown>();
  let late: (() => void) | undefined;
  let breaks = false;
  const adapter = {
    opts: {},
    get: async (key: string) => values.get(key),
    delete: async (key: string) => values.delete(key),
    clear: async () => values.clear(),
    set: async (key: string, value: unknown) => {
      if (breaks && key.endsWith('root')) {
        breaks = false;
        late = () => values.set(key, value);
        throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
      }
      values.set(key, value);
      return true;
    },
  };
  const open = () =>
    keyvMetadata(new Keyv({ store: adapter as unknown as Map<string, unknown> }), {
      allowMemory: true,
    });
  const commit = (key: string) => store.commit({ put: [{ key, value: key }] });
  const keys = async () =>
    (await store.list({ prefix: '', limit: 9 })).map(({ key }) => key).join();
  let store = await open();
  await commit('a');
  breaks = true;
  await t.throwsAsync(commit('lost'));
  await store.close();
  late?.();
  store = await open();
  t.is(await keys(), 'a,lost');
  t.deepEqual((await store.check()).problems, []);
  await store.commit({ delete: ['lost'] });

  breaks = true;
  await t.throwsAsync(commit('b'));
  await commit('c');
  late?.();
  await sleep(1100); // The writer reads the root at least every second.
  t.is(await keys(), 'a,c');
  await commit('d');
  t.is(await keys(), 'a,c,d');
  t.deepEqual((await store.check()).problems, []);
  await store.close();
  store = await open();
  t.is(await keys(), 'a,c,d');
  await store.close();
});
