import { type KeyvMetadata, keyvMetadata } from '@bucketware/keyv';
import test from 'ava';
import fc from 'fast-check';
import { Keyv } from 'keyv';

/** Branches hold only two or three such keys, so that a few dozen make a tree of many levels. */
const KEYS = Array.from({ length: 64 }, (_, n) => 'x'.repeat(1000) + String(n).padStart(2, '0'));

/** Neighbours, so that whole branches go, or any. */
const place = fc.nat(KEYS.length);
const some = fc.oneof(
  fc.tuple(place, place).map(([a, b]) => [...KEYS.keys()].slice(Math.min(a, b), Math.max(a, b))),
  fc.uniqueArray(fc.nat(KEYS.length - 1), { maxLength: 40 }),
);

const open = (): Promise<KeyvMetadata> =>
  keyvMetadata(new Keyv({ store: new Map() }), { allowMemory: true });

test('a tall tree that shrinks loses levels, several at a time too, and no records', async (t) => {
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
  // Two levels go in one commit.
  const examples: [number[][]][] = [[[[...KEYS.keys()].slice(0, 58)]]];
  await fc.assert(property, { numRuns: 60, examples });
});
