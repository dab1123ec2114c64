import { type AtomicAdapter, type AtomicSwap, keyvMetadata } from '@bucketware/keyv';
import test from 'ava';
import { Keyv } from 'keyv';

/** A database in memory that counts the queries for pages. */
class Counting implements AtomicAdapter {
  readonly map = new Map<string, string>();
  questions = 0;
  fails = false;

  async get(key: string): Promise<unknown> {
    return this.map.get(key);
  }

  async getMany(keys: readonly string[]): Promise<readonly unknown[]> {
    this.questions++;
    await new Promise(setImmediate);
    if (this.fails) throw new Error('The connection was lost.');
    return keys.map((key) => this.map.get(key));
  }

  async set(key: string, value: string): Promise<boolean> {
    this.map.set(key, value);
    return true;
  }

  async delete(key: string): Promise<boolean> {
    return this.map.delete(key);
  }

  async clear(): Promise<void> {
    throw new Error('Nobody may clear a store.');
  }

  async swap({ key, from, claim, to, put, delete: removed }: AtomicSwap): Promise<boolean> {
    if (this.map.get(key) !== from || this.map.get(claim[0]) !== claim[1]) return false;
    for (const [page, value] of [...put, [key, to] as const]) this.map.set(page, value);
    for (const page of removed) this.map.delete(page);
    return true;
  }

  /** The number of queries that the work makes. */
  async countCalls(work: () => Promise<unknown>): Promise<number> {
    const before = this.questions;
    await work();
    return this.questions - before;
  }
}

const RECORDS = 20_000;
const keyOf = (index: number): string => `o/${String(index).padStart(6, '0')}.jpg`;
const put = (index: number) => ({ key: keyOf(index), value: { index, tag: 'x'.repeat(150) } });

async function filled() {
  const adapter = new Counting();
  const open = (cacheBytes?: number) =>
    keyvMetadata(
      new Keyv({ store: adapter as never }),
      cacheBytes === undefined ? {} : { cacheBytes },
    );
  const store = await open();
  await store.commit({ put: Array.from({ length: RECORDS }, (_, index) => put(index)) });
  await store.close();
  return { adapter, open };
}

test('pages that are needed at the same time are read by one query', async (t) => {
  const { adapter, open } = await filled();
  const store = await open(0);
  const spread = Array.from({ length: 32 }, (_, index) => index * 600 + 7);
  // A query for each level of the tree, which has three to five levels.
  const many = await adapter.countCalls(async () => {
    const entries = await store.getMany(spread.map(keyOf));
    t.deepEqual(
      entries.map((entry) => (entry?.value as { index: number } | undefined)?.index),
      spread,
    );
  });
  t.true(many >= 3 && many <= 5, `${many}`);
  const commits = await adapter.countCalls(() =>
    Promise.all(spread.map((index) => store.commit({ put: [put(index)] }))),
  );
  t.true(commits <= 5, `${commits}`);
  for (const start of [0, 4321, RECORDS - 1000]) {
    const listed = await adapter.countCalls(async () => {
      const entries = await store.list({ prefix: 'o/', start: keyOf(start), limit: 1000 });
      t.deepEqual(
        entries.map(({ key }) => key),
        Array.from({ length: 1000 }, (_, index) => keyOf(start + index)),
      );
    });
    t.true(listed <= 16, `${listed}`);
  }
  t.deepEqual(await store.list({ prefix: 'o/', limit: 0 }), []);
  t.true((await adapter.countCalls(() => store.list({ prefix: 'o/', limit: 1 }))) <= 6);
  await store.close();
});

test('a query that fails rejects every read that waits for it, and no later one', async (t) => {
  const { adapter, open } = await filled();
  const store = await open();
  // The top of the tree is now in memory, and the following reads need different pages.
  await store.get(keyOf(0));
  adapter.fails = true;
  const message = /could not read/;
  const reads = [5000, 9000, 15_000].map((index) => store.get(keyOf(index)));
  await Promise.all(reads.map((read) => t.throwsAsync(read, { message })));
  await t.throwsAsync(store.commit({ put: [put(5000)] }), { message: /commit failed/ });
  adapter.fails = false;
  t.deepEqual(
    (await store.getMany([keyOf(5000), keyOf(9000)])).map((entry) => entry?.key),
    [keyOf(5000), keyOf(9000)],
  );
  t.truthy(await store.commit({ put: [put(5000)] }));
  await store.close();
});

test('a missing page is reported as missing even if other pages of its query exist', async (t) => {
  const { adapter, open } = await filled();
  const store = await open(0);
  const { used } = await store.check();
  const [first = '', ...others] = [...used].toReversed();
  t.true(others.length > 100);
  adapter.map.delete(`keyv:bucketware:${first}`);
  const message = new RegExp(`${first} is missing`);
  const all = Array.from({ length: 200 }, (_, index) => keyOf(RECORDS - 1 - index));
  await t.throwsAsync(store.getMany(all), { message });
  t.is((await store.get(keyOf(0)))?.key, keyOf(0));
  await store.close();
});
