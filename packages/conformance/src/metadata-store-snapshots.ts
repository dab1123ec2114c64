import assert from 'node:assert/strict';
import type { MetadataSnapshot, MetadataStore } from '@bucketware/core/contracts';
import type { DriverRule } from './driver-suite.js';

/** All values, read three at a time. */
async function valuesOf(source: Pick<MetadataSnapshot, 'list'>): Promise<unknown[]> {
  const values: unknown[] = [];
  for (let start: string | undefined; ; ) {
    const page = await source.list({ prefix: 'k', start, limit: 3 });
    values.push(...page.map(({ value }) => value));
    const last = page.at(-1);
    if (last === undefined) return values;
    start = `${last.key}\0`;
  }
}

const put = (from: number, to: number, value: string) => ({
  put: Array.from({ length: to - from }, (_, at) => ({ key: `k${from + at}`, value })),
});

/** Snapshots are optional: without them, these cases have nothing to check. */
const ifAny =
  (prove: (store: MetadataStore, snapshot: MetadataSnapshot) => Promise<void>) =>
  async (store: MetadataStore): Promise<void> => {
    if (store.snapshot === undefined) return;
    await store.commit(put(0, 8, 'old'));
    const snapshot = await store.snapshot();
    await prove(store, snapshot);
    await snapshot.close();
  };

export const snapshotCases: readonly DriverRule<MetadataStore>[] = [
  {
    id: 'metadata-snapshot-instant',
    name: 'a snapshot shows the state when it was taken, whatever is committed meanwhile',
    prove: ifAny(async (store, snapshot) => {
      const old = Array(8).fill('old');
      await store.commit({ ...put(4, 12, 'new'), delete: ['k0'] });
      const [first] = await snapshot.list({ prefix: 'k0', limit: 1 });
      assert.equal(first?.value, 'old');
      assert.deepEqual(await valuesOf(snapshot), old);
      await store.commit({ delete: ['k1', 'k2'] });
      assert.deepEqual(await valuesOf(snapshot), old);
      const later = await store.snapshot?.();
      assert.deepEqual(await valuesOf(later as MetadataSnapshot), await valuesOf(store));
      await later?.close();
    }),
  },
  {
    id: 'metadata-snapshot-close',
    name: 'closing a snapshot, or its store, ends its use, and may be done twice',
    prove: ifAny(async (store, snapshot) => {
      const other = await store.snapshot?.();
      await snapshot.close();
      await snapshot.close();
      await assert.rejects(snapshot.list({ prefix: '', limit: 1 }));
      assert.ok(await store.commit(put(0, 1, 'new')));
      await store.close();
      await assert.rejects(async () => other?.list({ prefix: '', limit: 1 }));
      await other?.close();
      await assert.rejects(async () => store.snapshot?.());
    }),
  },
];
