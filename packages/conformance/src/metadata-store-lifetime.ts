import assert from 'node:assert/strict';
import type { MetadataStoreRule } from './metadata-store.js';

export const lifetimeCases: readonly MetadataStoreRule[] = [
  {
    id: 'metadata-lifetime-close',
    name: 'close waits for running commits, may be called twice, and ends all use',
    async prove(store, { reopen }) {
      const running = Array.from({ length: 20 }, (_, index) =>
        store.commit({ put: [{ key: `k${index}`, value: index }] }),
      );
      await store.close();
      assert.deepEqual(new Set(await Promise.all(running)), new Set([true]));
      await store.close();
      await assert.rejects(store.get('k1'));
      await assert.rejects(store.getMany(['k1']));
      await assert.rejects(store.list({ prefix: '', limit: 1 }));
      await assert.rejects(store.commit({ delete: ['k1'] }));
      if (!reopen) return;
      const again = await reopen();
      try {
        assert.equal((await again.list({ prefix: 'k', limit: 100 })).length, 20);
      } finally {
        await again.close();
      }
    },
  },
  {
    id: 'metadata-lifetime-reopen',
    name: 'entries and versions outlive the store, and no version comes again',
    async prove(store, { reopen }) {
      if (!reopen) return;
      await store.commit({ put: [{ key: 'kept', value: { n: 1 } }] });
      await store.commit({ put: [{ key: 'gone', value: 1 }] });
      const [kept, gone] = await store.getMany(['kept', 'gone']);
      await store.commit({ delete: ['gone'] });
      await store.close();
      const again = await reopen();
      try {
        assert.deepEqual(await again.get('kept'), kept);
        const expect = [{ key: 'kept', version: kept?.version }];
        assert.equal(await again.commit({ expect, put: [{ key: 'gone', value: 1 }] }), true);
        assert.notEqual((await again.get('gone'))?.version, gone?.version);
      } finally {
        await again.close();
      }
    },
  },
];
