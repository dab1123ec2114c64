import assert from 'node:assert/strict';
import type { MetadataStore } from '@bucketware/core/contracts';
import type { DriverRule } from './driver-suite.js';

/** Starts twenty commits. */
const commitMany = (store: MetadataStore): Promise<string | undefined>[] =>
  Array.from({ length: 20 }, (_, index) =>
    store.commit({ put: [{ key: `k${index}`, value: index }] }),
  );

/** The versions of a key that is put and deleted a few times. */
async function versionsOf(store: MetadataStore, key: string): Promise<unknown[]> {
  const versions: unknown[] = [];
  for (let round = 0; round < 5; round++) {
    await store.commit({ put: [{ key, value: round }] });
    versions.push((await store.get(key))?.version);
    await store.commit({ delete: [key] });
  }
  return versions;
}

export const lifetimeCases: readonly DriverRule<MetadataStore>[] = [
  {
    id: 'metadata-lifetime-close',
    name: 'close waits for running commits, may be called twice, and ends all other use',
    async prove(store) {
      const running = commitMany(store);
      let ended = 0;
      const all = Promise.all(running.map((commit) => commit.finally(() => ended++)));
      all.catch(() => {}); // Awaited below. Until then, a rejection must not count as unhandled.
      await store.close();
      await new Promise(setImmediate);
      assert.equal(ended, running.length);
      assert.ok((await all).every(Boolean));
      await store.close();
      await assert.rejects(store.get('k1'));
      await assert.rejects(store.getMany(['k1']));
      await assert.rejects(store.list({ prefix: '', limit: 1 }));
      await assert.rejects(store.commit({ delete: ['k1'] }));
    },
  },
  {
    id: 'metadata-lifetime-close-keeps',
    name: 'close loses nothing of the commits that were running',
    reopens: true,
    async prove(store, reopen) {
      const running = commitMany(store);
      await Promise.all([...running, store.close()]);
      const again = await reopen();
      assert.equal((await again.list({ prefix: 'k', limit: 100 })).length, running.length);
    },
  },
  {
    id: 'metadata-lifetime-reopen',
    name: 'commits outlive the store: entries and versions are kept, and no version is used again',
    reopens: true,
    async prove(store, reopen) {
      await store.commit({ put: [{ key: 'kept', value: { n: 1 } }] });
      const kept = await store.get('kept');
      const before = await versionsOf(store, 'gone');
      await store.close();
      const again = await reopen();
      assert.deepEqual(await again.get('kept'), kept);
      assert.equal(await again.get('gone'), undefined);
      const expect = [{ key: 'kept', version: kept?.version }];
      assert.ok(await again.commit({ expect, put: [{ key: 'kept', value: 2 }] }));
      const after = await versionsOf(again, 'gone');
      assert.equal(new Set([...before, ...after]).size, before.length + after.length);
    },
  },
];
