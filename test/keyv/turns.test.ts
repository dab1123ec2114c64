import { setTimeout as sleep } from 'node:timers/promises';
import { keyvMetadata } from '@bucketware/keyv';
import test from 'ava';
import { Keyv } from 'keyv';
import { newPrefix } from './fixtures.js';

/** One database, which each process reaches in a time of its own. */
function database() {
  const values = new Map<string, unknown>();
  const adapter = (latency: number) => ({
    opts: { dialect: 'test' },
    get: async (key: string) => {
      if (latency > 0) await sleep(latency);
      return values.get(key);
    },
    set: async (key: string, value: unknown) => void values.set(key, value),
    delete: async (key: string) => values.delete(key),
    clear: async () => values.clear(),
    async swap(swap: {
      readonly key: string;
      readonly from: string | undefined;
      readonly claim: readonly [string, string];
      readonly to: string;
      readonly put: readonly (readonly [string, string])[];
      readonly delete: readonly string[];
    }) {
      if (latency > 0) await sleep(latency);
      if (values.get(swap.key) !== swap.from) return false;
      if (values.get(swap.claim[0]) !== swap.claim[1]) return false;
      for (const [key, value] of swap.put) values.set(key, value);
      for (const key of swap.delete) values.delete(key);
      values.set(swap.key, swap.to);
      return true;
    },
  });
  const prefix = newPrefix();
  const open = (latency: number) => {
    const store = adapter(latency) as unknown as Map<string, unknown>;
    return keyvMetadata(new Keyv({ store }), { prefix, timeout: 60_000 });
  };
  return { open, values, prefix };
}

for (const latency of [2, 30]) {
  test(`a process that always writes does not stop one that is ${latency} ms away`, async (t) => {
    const { open } = database();
    const [quick, slow] = [await open(0), await open(latency)];
    const keys = Array.from({ length: 300 }, (_, at) => `key-${String(at).padStart(3, '0')}`);
    await slow.commit({ put: keys.map((key) => ({ key, value: 'x'.repeat(100) })) });

    let [commits, isWriting] = [0, true];
    t.teardown(() => {
      isWriting = false;
    });
    const writing = (async () => {
      while (isWriting) {
        await quick.commit({ put: [{ key: 'counter', value: ++commits }] });
        await sleep(0);
      }
    })();
    const seen: number[] = [];
    for (let round = 1; round <= 5; round++) {
      const before = commits;
      const commit = slow.commit({ put: keys.map((key) => ({ key, value: `${key} ${round}` })) });
      const end = async () => {
        while (isWriting && commits < before + 3_000) await sleep(1);
        return 'no turn';
      };
      t.not(await Promise.race([commit, end()]), 'no turn');
      seen.push(commits - before);
    }
    t.log(`the other process committed ${seen.join(', ')} times meanwhile`);
    // A commit that finds nothing to do does not keep the turn.
    const expect = [{ key: 'key-000', version: 'another' }];
    for (let round = 0; round < 5; round++) {
      t.is(await slow.commit({ expect, delete: ['key-000'] }), undefined);
    }
    isWriting = false;
    await writing;
    t.is((await slow.get('counter'))?.value, commits);
    t.is((await quick.get('key-299'))?.value, 'key-299 5');
    t.deepEqual((await quick.check()).problems, []);
    await quick.close();
    await slow.close();
  });
}

test('a process that ends in its turn delays the others only for a moment', async (t) => {
  const { open, values, prefix } = database();
  const store = await open(0);
  values.set(`${prefix}turn`, JSON.stringify({ value: 'that-of-a-killed-process' }));
  await store.commit({ put: [{ key: 'key', value: 0 }] });
  // The turn is looked for in the background.
  await sleep(50);
  for (let value = 1; value <= 3; value++) await store.commit({ put: [{ key: 'key', value }] });
  t.is((await store.get('key'))?.value, 3);
  t.true(values.has(`${prefix}turn`));
  await store.close();
});
