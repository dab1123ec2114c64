import { keyvMetadata } from '@bucketware/keyv';
import test from 'ava';
import { Keyv } from 'keyv';
import { newPrefix } from './fixtures.js';

/** Long enough that a few thousand of them make a tree with two levels of branches. */
const keys = Array.from(
  { length: 4000 },
  (_, at) => `${String(at).padStart(6, '0')}${'x'.repeat(200)}`,
);

for (const [order, sorted] of [
  ['first to last', keys],
  ['last to first', keys.toReversed()],
  ['both ends in turn', keys.map((_, at) => keys.at(at % 2 === 0 ? at / 2 : -(at + 1) / 2) ?? '')],
] as const) {
  for (const together of [7, 50]) {
    test(`a tall tree shrinks to nothing, ${order}, ${together} at once`, async (t) => {
      const options = { prefix: newPrefix(), allowMemory: true };
      const store = await keyvMetadata(new Keyv(), options);
      await store.commit({ put: keys.map((key) => ({ key, value: key })) });
      for (let at = 0; at < sorted.length; at += together) {
        await store.commit({ delete: sorted.slice(at, at + together) });
        if (at % 400 !== 0) continue;
        const { problems, entries } = await store.check();
        t.deepEqual(problems, []);
        t.is(entries, Math.max(0, sorted.length - at - together));
      }
      t.deepEqual(await store.list({ prefix: '', limit: 1 }), []);
      t.is((await store.check()).used.size, 0);
      await store.close();
    });
  }
}
