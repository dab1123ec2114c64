import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { FencedError, type KeyvLike, type KeyvMetadata, keyvMetadata } from '@bucketware/keyv';

const TIMES = 5;

/** Commits until the store is taken over. Resolves to the keys of the acknowledged commits. */
async function commitUntilFenced(store: KeyvMetadata, name: string): Promise<string[]> {
  const keys: string[] = [];
  for (;;) {
    const key = `${name}-${String(keys.length).padStart(5, '0')}`;
    try {
      if (await store.commit({ put: [{ key, value: key }] })) keys.push(key);
    } catch (error) {
      if (error instanceof FencedError) return keys;
      throw error;
    }
  }
}

/**
 * Proves that a process without compare-and-set that opens a store stops several writers with it, and
 * finds every commit that they acknowledged.
 */
export async function proveOverlaps(open: () => KeyvLike, prefix: string): Promise<void> {
  const openOne = (compareAndSet: boolean) =>
    keyvMetadata(open(), { prefix, compareAndSet, timeout: 60_000, disconnect: true });
  const acknowledged: string[] = [];
  for (let time = 0; time < TIMES; time++) {
    const stores = [await openOne(true), await openOne(true)] as const;
    const working = stores.map((store, at) => commitUntilFenced(store, `${time}-${at}`));
    while ((await stores[0].list({ prefix: `${time}-`, limit: 40 })).length < 40) await sleep(5);
    const sole = await openOne(false);
    const keys = (await Promise.all(working)).flat();
    assert.ok(keys.length >= 40);
    acknowledged.push(...keys);
    const found = (await sole.list({ prefix: '', limit: 100_000 })).map(({ key }) => key);
    const missing = acknowledged.filter((key) => !found.includes(key));
    assert.deepEqual(missing, []);
    assert.ok(await sole.commit({ put: [{ key: `sole-${time}`, value: 1 }] }));
    acknowledged.push(`sole-${time}`);
    assert.deepEqual((await sole.check()).problems, []);
    for (const store of stores) {
      await assert.rejects(store.get('any'), FencedError);
      await store.close();
    }
    await sole.close();
  }
}
