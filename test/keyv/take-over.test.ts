import { setTimeout as sleep } from 'node:timers/promises';
import { FencedError, type KeyvMetadata, keyvMetadata, type SqliteStore } from '@bucketware/keyv';
import test, { type ExecutionContext } from 'ava';
import { Keyv } from 'keyv';
import { FaultyMap } from './faulty-map.js';
import { sqliteFile } from './fixtures.js';

const put = (key: string, value: unknown = key) => ({ put: [{ key, value }] });

const openOn = (adapter: FaultyMap): Promise<KeyvMetadata> =>
  keyvMetadata(new Keyv({ store: adapter }));

const keysOf = async (store: KeyvMetadata): Promise<string> =>
  (await store.list({ prefix: '', limit: 9 })).map(({ key }) => key).join();

/** Runs a function before the n-th call from now on. */
class Interrupted extends FaultyMap {
  at = Number.POSITIVE_INFINITY;
  interrupt = async (): Promise<void> => undefined;

  async #next(): Promise<void> {
    if (--this.at === 0) await this.interrupt();
  }

  override async get(key: string): Promise<unknown> {
    await this.#next();
    return super.get(key);
  }

  override async set(key: string, value: unknown): Promise<unknown> {
    await this.#next();
    return super.set(key, value);
  }

  override async delete(key: string): Promise<unknown> {
    await this.#next();
    return super.delete(key);
  }
}

for (const commits of [false, true]) {
  const name = commits ? 'opens and commits' : 'opens';
  test(`a second writer ${name} at any call of a commit of the first`, async (t) => {
    let taken = 0;
    for (let at = 1; ; at++) {
      const adapter = new Interrupted();
      const first = await openOn(adapter);
      await first.commit({
        ...put('a'),
        put: [...put('a').put, ...put('b', 'x'.repeat(9000)).put],
      });
      const second: { store?: KeyvMetadata } = {};
      adapter.interrupt = async () => {
        second.store = await openOn(new FaultyMap(adapter.map));
        if (commits) await second.store.commit(put('s'));
      };
      adapter.at = at;
      const outcome = await first.commit(put('c')).catch(() => undefined);
      adapter.at = Number.POSITIVE_INFINITY;
      if (!second.store) break;
      taken++;
      const { store } = second;
      const keys = await keysOf(store);
      // The second store has everything that the first one reported. It may have more.
      t.true(
        (outcome ? ['a,b,c', 'a,b,c,s'] : ['a,b', 'a,b,c', 'a,b,s', 'a,b,c,s']).includes(keys),
      );
      t.is(keys.endsWith('s'), commits, `${at}`);
      await t.throwsAsync(first.commit(put('d')), { instanceOf: FencedError });
      t.truthy(await store.commit(put('z')));
      t.is(await keysOf(store), `${keys},z`);
      t.deepEqual((await store.check()).problems, []);
      await Promise.all([store.close(), first.close()]);
      const third = await openOn(new FaultyMap(adapter.map));
      t.is(await keysOf(third), `${keys},z`);
      t.deepEqual((await third.check()).problems, []);
      await third.close();
    }
    t.true(taken >= 6);
  });
}

test('no version is used again, even if a commit of the previous writer arrives late', async (t) => {
  let crossed = 0;
  for (let at = 1; ; at++) {
    const adapter = new Interrupted();
    const first = await openOn(adapter);
    await first.commit(put('k', 'old'));
    const second: { store?: KeyvMetadata } = {};
    adapter.interrupt = async () => {
      second.store = await openOn(new FaultyMap(adapter.map));
      await second.store.commit(put('k', 'second'));
    };
    adapter.at = at;
    await first.commit(put('k', 'first')).catch(() => undefined);
    if (!second.store) break;
    // What a third store would find now: if the late write came last, the whole tree of the first
    // one.
    const third = await openOn(new FaultyMap(new Map(adapter.map)));
    const [late, own] = [await third.get('k'), await second.store.get('k')];
    t.is(own?.value, 'second');
    t.deepEqual((await third.check()).problems, []);
    if (late?.value === 'first') {
      crossed++;
      t.not(late.version, own?.version);
    }
    await Promise.all([first.close(), second.store.close(), third.close()]);
  }
  t.true(crossed > 0);
});

test('a root of a later writer is never taken for one that arrived late', async (t) => {
  const adapter = new FaultyMap();
  const first = await openOn(adapter);
  await first.commit(put('a'));
  const claim = adapter.map.get('keyv:bucketware:claim');
  const second = await openOn(adapter);
  await second.commit(put('b'));
  adapter.map.set('keyv:bucketware:claim', claim);
  await t.throwsAsync(first.commit(put('c')), { instanceOf: FencedError });
  await first.close();
  const third = await openOn(adapter);
  t.is(await keysOf(third), 'a,b');
  t.deepEqual((await third.check()).problems, []);
  await Promise.all([second.close(), third.close()]);
});

const CLAIM = 'keyv:bucketware:claim';
const ROOT = 'keyv:bucketware:root';

/** A database, and a connection for looking into it. */
function emptyDatabase(t: ExecutionContext) {
  const file = sqliteFile();
  const admin = file.open();
  t.teardown(async () => {
    await admin.disconnect();
    await file.remove();
  });
  return { file, admin };
}

const openShared = (store: SqliteStore): Promise<KeyvMetadata> =>
  keyvMetadata(new Keyv({ store }), { disconnect: true });

test('several writers go on if their claim is replaced by one of them, or lost', async (t) => {
  const { file, admin } = emptyDatabase(t);
  const sole = await keyvMetadata(new Keyv({ store: file.open() }), { compareAndSet: false });
  await sole.commit(put('sole'));
  const stores = await Promise.all([openShared(file.open()), openShared(file.open())]);
  await t.throwsAsync(sole.commit(put('late')), { instanceOf: FencedError });
  for (const [at, store] of stores.entries()) t.truthy(await store.commit(put(`${at}`)));
  const shared = String(await admin.get(CLAIM));
  await admin.delete(CLAIM);
  for (const [at, store] of stores.entries()) t.truthy(await store.commit(put(`again-${at}`)));
  t.is(await admin.get(CLAIM), shared);
  for (const store of stores) {
    t.is(await keysOf(store), '0,1,again-0,again-1,sole');
    await store.close();
  }
  await sole.close();
});

test('several writers also notice at the next open that the root is gone', async (t) => {
  const { file, admin } = emptyDatabase(t);
  const store = await openShared(file.open());
  await store.commit(put('a'));
  await admin.delete(ROOT);
  const message = /root of this metadata store is gone/;
  for (const options of [{}, { writers: 'one' }, { compareAndSet: false }, {}] as const) {
    for (let times = 0; times < 2; times++)
      await t.throwsAsync(keyvMetadata(new Keyv({ store: file.open() }), options), { message });
  }
  await t.throwsAsync(store.commit(put('b')));
  await store.close();
});

test('a store of an earlier version, which has no claim, gets one', async (t) => {
  const { file, admin } = emptyDatabase(t);
  const first = await openShared(file.open());
  await first.commit(put('a'));
  await first.close();
  await admin.delete(CLAIM);
  const second = await openShared(file.open());
  t.is(await keysOf(second), 'a');
  const sole = await keyvMetadata(new Keyv({ store: file.open() }), { compareAndSet: false });
  await t.throwsAsync(second.commit(put('b')), { instanceOf: FencedError });
  t.is(await keysOf(sole), 'a');
  await sole.close();
  await second.close();
  await admin.delete(ROOT);
  await t.throwsAsync(openShared(file.open()), { message: /is gone/ });
});

test('the first root of a killed process, which arrives late, does not replace the store of the next one', async (t) => {
  class Holding extends FaultyMap {
    late: (() => void) | undefined;
    override async set(key: string, value: unknown): Promise<unknown> {
      if (!key.endsWith(':root')) return super.set(key, value);
      this.late = () => void super.set(key, value);
      return new Promise(() => {});
    }
  }
  const killed = new Holding();
  const opening = keyvMetadata(new Keyv({ store: killed }), { timeout: 300, allowMemory: true });
  await t.throwsAsync(opening);
  t.truthy(killed.late);
  const store = await openOn(new FaultyMap(killed.map));
  await store.commit(put('a'));
  killed.late?.();
  await sleep(1100); // A sole writer relies on its last check for a second.
  t.is((await store.get('a'))?.value, 'a');
  await store.commit(put('b'));
  t.is(await keysOf(store), 'a,b');
  await store.close();
  const next = await openOn(new FaultyMap(killed.map));
  t.is(await keysOf(next), 'a,b');
  await next.close();
});

test('a running process never takes a new store for its own', async (t) => {
  for (const writers of ['many', 'one'] as const) {
    const file = sqliteFile();
    const open = () => keyvMetadata(new Keyv({ store: file.open() }), { writers });
    const store = await open();
    await store.commit(put('a'));
    await file.open().clear();
    // As a worker does that has just been started, before it notices that the records are gone.
    const another = await open();
    const name = writers === 'many' ? 'ReplacedError' : 'FencedError';
    await t.throwsAsync(store.commit(put('b')), { name });
    await t.throwsAsync(async () => store.get('a'), { name });
    t.is(await keysOf(another), '');
    await Promise.all([store.close(), another.close()]);
    await file.remove();
  }
});

test('a running process leaves an emptied database empty, so that a backup can be restored', async (t) => {
  const { file, admin } = emptyDatabase(t);
  const store = await openShared(file.open());
  await store.commit(put('a'));
  await admin.clear();
  await t.throwsAsync(store.commit(put('b')), { message: /commit failed/ });
  t.deepEqual([await admin.get(CLAIM), await admin.get(ROOT)], [undefined, undefined]);
  await store.close();
});
