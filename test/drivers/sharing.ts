import type { Change, MetadataStore } from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';

/** Opens several stores on new records. They are closed when the test ends. */
type OpenShared = (t: ExecutionContext, number: number) => Promise<MetadataStore[]>;

const put = (key: string, value: unknown = key) => ({ key, value });
const absent = (key: string) => ({ key, version: undefined });

const anyOf = (stores: readonly MetadataStore[], index: number): MetadataStore =>
  stores[index % stores.length] as MetadataStore;

/**
 * How many of two mutually exclusive changes were made, with all stores trying at the same time.
 */
async function excluding(
  t: ExecutionContext,
  stores: readonly MetadataStore[],
  changes: (round: number) => Promise<readonly [Change, Change]>,
): Promise<void> {
  for (let round = 0; round < 60; round++) {
    const [first, second] = await changes(round);
    const done = await Promise.all([
      anyOf(stores, round).commit(first),
      anyOf(stores, round + 1).commit(second),
    ]);
    t.is(done.filter(Boolean).length, 1, `round ${round}`);
  }
}

/** Tests several stores on the same records: none may act on data that another one is changing. */
export function testSharing(sharedStores: OpenShared): void {
  test('several stores increment one counter, and no increment is lost', async (t) => {
    const stores = await sharedStores(t, 4);
    const increment = async (store: MetadataStore): Promise<void> => {
      for (;;) {
        const entry = await store.get('n');
        const next = ((entry?.value as number | undefined) ?? 0) + 1;
        const expect = [{ key: 'n', version: entry?.version }];
        if (await store.commit({ expect, put: [put('n', next), put(`log/${next}`)] })) return;
      }
    };
    const counting = Array.from({ length: 12 }, async (_, index) => {
      for (let left = 10; left > 0; left--) await increment(anyOf(stores, index));
    });
    await Promise.all(counting);
    const [store] = stores as [MetadataStore];
    t.is((await store.get('n'))?.value, 120);
    t.is((await store.list({ prefix: 'log/', limit: 1000 })).length, 120);
  });

  test('a store sees the commit of another one as soon as it has resolved', async (t) => {
    const [first, second] = (await sharedStores(t, 2)) as [MetadataStore, MetadataStore];
    for (let round = 0; round < 50; round++) {
      const version = await first.commit({ put: [put('k', round)] });
      t.deepEqual(await second.get('k'), { key: 'k', value: round, version: version as string });
    }
  });

  test('one of two changes, each of which puts a key that must be absent for the other', async (t) => {
    const stores = await sharedStores(t, 3);
    await excluding(t, stores, async (round) => {
      const [a, b] = [`a${round}`, `b${round}`];
      return [
        { expect: [absent(a)], put: [put(b)] },
        { expect: [absent(b)], put: [put(a)] },
      ];
    });
    const [store] = stores as [MetadataStore];
    t.is((await store.list({ prefix: '', limit: 1000 })).length, 60);
  });

  test('one of two changes, each of which deletes a key that the other expects', async (t) => {
    const stores = await sharedStores(t, 3);
    await excluding(t, stores, async (round) => {
      const [a, b] = [`a${round}`, `b${round}`];
      const version = await anyOf(stores, round).commit({ put: [put(a), put(b)] });
      return [
        { expect: [{ key: a, version }], delete: [b] },
        { expect: [{ key: b, version }], delete: [a] },
      ];
    });
  });

  test('one of many that put a key which must be absent', async (t) => {
    const stores = await sharedStores(t, 4);
    for (let round = 0; round < 20; round++) {
      const key = `k${round}`;
      const racing = Array.from({ length: 16 }, (_, index) => {
        const expect = [absent(key)];
        return anyOf(stores, index).commit({
          expect,
          put: [put(key, index), put(`${key}/${index}`)],
        });
      });
      t.is((await Promise.all(racing)).filter(Boolean).length, 1);
    }
    const [store] = stores as [MetadataStore];
    t.is((await store.list({ prefix: '', limit: 1000 })).length, 40);
  });

  test('large changes in opposite orders end, with one of them last in every key', async (t) => {
    const stores = await sharedStores(t, 4);
    const keys = Array.from({ length: 300 }, (_, index) => `k${index}`);
    for (let round = 0; round < 5; round++) {
      const all = stores.map((store, index) => {
        const order = index % 2 ? keys : keys.toReversed();
        return store.commit({ put: order.map((key) => put(key, `${round} ${index}`)) });
      });
      const versions = await Promise.all(all);
      const [store] = stores as [MetadataStore];
      const entries = await store.list({ prefix: 'k', limit: 1000 });
      t.is(new Set(entries.map(({ version }) => version)).size, 1);
      t.true(versions.includes(entries[0]?.version));
    }
  });

  test('a writer of a key that others only expect gets its turn', async (t) => {
    const [store] = (await sharedStores(t, 1)) as [MetadataStore];
    let version = await store.commit({ put: [put('bucket')] });
    let working = true;
    const readers = Array.from({ length: 20 }, async (_, index) => {
      for (let count = 0; working; count++) {
        const expect = [{ key: 'bucket', version }];
        await store.commit({ expect, put: [put(`${index}/${count}`)] });
      }
    });
    for (let round = 0; round < 10; round++) {
      version = await store.commit({
        expect: [{ key: 'bucket', version }],
        put: [put('bucket', round)],
      });
      t.truthy(version);
    }
    working = false;
    await Promise.all(readers);
  });
}
