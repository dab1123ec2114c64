import { type KeyvMetadata, keyvMetadata } from '@bucketware/keyv';
import test from 'ava';
import fc from 'fast-check';
import { Keyv } from 'keyv';

/** Branches hold only two or three such keys, so that a few dozen make a tree of many levels. */
const KEYS = Array.from({ length: 64 }, (_, n) => 'x'.repeat(1000) + String(n).padStart(2, '0'));

/** Neighbours, so that whole branches are removed, or any keys. */
const place = fc.nat(KEYS.length);
const some = fc.oneof(
  fc.tuple(place, place).map(([a, b]) => [...KEYS.keys()].slice(Math.min(a, b), Math.max(a, b))),
  fc.uniqueArray(fc.nat(KEYS.length - 1), { maxLength: 40 }),
);

const open = (): Promise<KeyvMetadata> =>
  keyvMetadata(new Keyv({ store: new Map() }), { allowMemory: true });

test('a tall tree that shrinks loses levels, even several at a time, but no records', async (t) => {
  const property = fc.asyncProperty(fc.array(some, { maxLength: 4 }), async (groups) => {
    const store = await open();
    await store.commit({ put: KEYS.map((key) => ({ key, value: key.slice(1000) })) });
    const left = new Set(KEYS.keys());
    for (const group of groups) {
      await store.commit({ delete: group.map((n) => KEYS[n] as string) });
      for (const n of group) left.delete(n);
      const { problems, entries } = await store.check();
      t.deepEqual({ problems, entries }, { problems: [], entries: left.size });
    }
    const found = await store.list({ prefix: '', limit: 99 });
    t.deepEqual(
      found.map(({ value }) => Number(value)),
      [...left],
    );
    await store.close();
  });
  // One commit removes two levels.
  const examples: [number[][]][] = [[[[...KEYS.keys()].slice(0, 58)]]];
  await fc.assert(property, { numRuns: 60, examples, endOnFailure: true });
});

test('in a tall tree whose keys are added and removed, each key can be found', async (t) => {
  const property = fc.asyncProperty(
    fc.array(fc.tuple(some, some), { maxLength: 12 }),
    async (groups) => {
      const store = await open();
      const left = new Set<number>();
      for (const [coming, going] of groups) {
        const put = coming.map((n) => ({ key: KEYS[n] as string, value: n }));
        await store.commit({ put });
        for (const n of coming) left.add(n);
        await store.commit({ delete: going.map((n) => KEYS[n] as string) });
        for (const n of going) left.delete(n);
        for (const [n, key] of KEYS.entries()) {
          const value = left.has(n) ? n : undefined;
          t.is((await store.get(key))?.value, value);
          t.is((await store.list({ prefix: key, limit: 1 }))[0]?.value, value);
        }
        t.deepEqual((await store.check()).problems, []);
      }
      await store.close();
    },
  );
  await fc.assert(property, { numRuns: 100, endOnFailure: true });
});
