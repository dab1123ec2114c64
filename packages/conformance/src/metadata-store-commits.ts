import assert from 'node:assert/strict';
import type { Expectation, MetadataStore } from '@bucketware/core/contracts';
import type { DriverRule } from './driver-suite.js';

const put = (key: string, value: unknown = key) => ({ key, value });

async function versionOf(store: MetadataStore, key: string): Promise<string | undefined> {
  return (await store.get(key))?.version;
}

export const commitCases: readonly DriverRule<MetadataStore>[] = [
  {
    id: 'metadata-commit-put-delete',
    name: 'commit puts and deletes many keys at once; deleting an absent one succeeds',
    async prove(store) {
      assert.ok(await store.commit({ put: [put('a'), put('b')] }));
      const change = { put: [put('b', 2), put('c')], delete: ['a', 'absent'] };
      assert.ok(await store.commit(change));
      const entries = await store.list({ prefix: '', limit: 10 });
      const found = entries.map(({ key, value }) => [key, value]);
      assert.deepEqual(found, [
        ['b', 2],
        ['c', 'c'],
      ]);
      assert.ok(await store.commit({}));
    },
  },
  {
    id: 'metadata-commit-order',
    name: 'commit checks its expectations first, then deletes, then puts',
    async prove(store) {
      await store.commit({ put: [put('old'), put('same', 1)] });
      const [same] = await store.list({ prefix: 'same', limit: 1 });
      const expect: Expectation[] = [
        { key: 'new', version: undefined },
        { key: 'same', version: same?.version },
      ];
      const change = { expect, put: [put('same', 2), put('new')], delete: ['same', 'old'] };
      assert.ok(await store.commit(change));
      assert.equal((await store.get('same'))?.value, 2);
      const left = await store.list({ prefix: '', limit: 10 });
      assert.deepEqual(
        left.map(({ key }) => key),
        ['new', 'same'],
      );
    },
  },
  {
    id: 'metadata-commit-visible',
    name: 'get, getMany and list see a commit as soon as it has resolved',
    async prove(store) {
      for (let round = 0; round < 50; round++) {
        await store.get('k');
        await store.commit({ put: [put('k', round)] });
        const [one, [many], [listed]] = await Promise.all([
          store.get('k'),
          store.getMany(['k']),
          store.list({ prefix: 'k', limit: 1 }),
        ]);
        assert.deepEqual([one?.value, many?.value, listed?.value], [round, round, round]);
      }
    },
  },
  {
    id: 'metadata-commit-expectations',
    name: 'commit succeeds when all its expectations hold',
    async prove(store) {
      const keys = Array.from({ length: 200 }, (_, index) => `k${index}`);
      await store.commit({ put: keys.map((key) => put(key)) });
      const expect: Expectation[] = (await store.getMany(keys)).map((entry, index) => ({
        key: keys[index] as string,
        version: entry?.version,
      }));
      expect.push({ key: 'absent', version: undefined });
      assert.ok(await store.commit({ expect, put: [put('k0', 'new')] }));
      assert.equal((await store.get('k0'))?.value, 'new');
      assert.ok(await store.commit({ expect: expect.slice(1) }));
      assert.equal(await store.commit({ expect }), undefined);
    },
  },
  {
    id: 'metadata-commit-failed-expectation',
    name: 'commit resolves to undefined and changes nothing if any expectation does not hold',
    async prove(store) {
      await store.commit({ put: [put('a'), put('b')] });
      await store.commit({ put: [put('old')], delete: [] });
      const before = await store.list({ prefix: '', limit: 10 });
      const [a, b] = before as Expectation[] as [Expectation, Expectation];
      const wrong: Expectation[][] = [
        [a, b, { key: 'absent', version: a.version }],
        [{ key: 'a', version: undefined }, b],
        [a, { key: 'b', version: `${b.version}0` }],
        [{ key: 'a', version: '' }],
        [{ key: 'a', version: 'no version at all' }],
      ];
      for (const expect of wrong) {
        const change = { expect, put: [put('a', 'changed'), put('new')], delete: ['b', 'old'] };
        assert.equal(await store.commit(change), undefined);
      }
      assert.deepEqual(await store.list({ prefix: '', limit: 10 }), before);
    },
  },
  {
    id: 'metadata-commit-versions',
    name: 'every commit creates a new version, even after a delete and for an equal value',
    async prove(store) {
      const seen = new Set<string>();
      for (let round = 0; round < 20; round++) {
        await store.commit({ put: [put('k', 'same')] });
        seen.add((await versionOf(store, 'k')) as string);
        if (round % 2) await store.commit({ delete: ['k'] });
        if (round % 3) await store.commit({ put: [put('other')] });
      }
      assert.equal(seen.size, 20);
    },
  },
  {
    id: 'metadata-commit-answer',
    name: 'commit resolves to the new version of its keys, a different one each time',
    async prove(store) {
      const keys = ['a', 'b', 'c'];
      const seen = new Set<string | undefined>([undefined, '']);
      for (let round = 0; round < 6; round++) {
        const version = await store.commit({
          put: keys.map((key) => put(key, 'same')),
          delete: ['a'],
        });
        assert.ok(!seen.has(version), `${version} is no new version`);
        seen.add(version);
        const [one, many, listed] = await Promise.all([
          store.get('a'),
          store.getMany(keys),
          store.list({ prefix: '', limit: 10 }),
        ]);
        const shown = [one, ...many, ...listed].map((entry) => entry?.version);
        assert.deepEqual(shown, Array(7).fill(version));
        const expect = keys.map((key) => ({ key, version }));
        assert.ok(await store.commit({ expect, ...(round % 2 && { delete: keys }) }));
      }
      // This also applies to a driver that makes several commits in one step.
      const versions = await Promise.all(keys.map((key) => store.commit({ put: [put(key)] })));
      assert.deepEqual(await Promise.all(keys.map((key) => versionOf(store, key))), versions);
      assert.ok(versions.every((version) => !seen.has(version)));
    },
  },
  {
    id: 'metadata-commit-stable-version',
    name: 'get, getMany and list return the same version, which stays until the key is written',
    async prove(store) {
      await store.commit({ put: [put('k')] });
      const version = await versionOf(store, 'k');
      await store.commit({ expect: [{ key: 'k', version }], put: [put('other')] });
      const [[many], [listed]] = await Promise.all([
        store.getMany(['k']),
        store.list({ prefix: 'k', limit: 1 }),
      ]);
      assert.deepEqual([await versionOf(store, 'k'), many?.version], [version, version]);
      assert.equal(listed?.version, version);
    },
  },
  {
    id: 'metadata-commit-one-winner',
    name: 'of concurrent commits that expect the same version, one succeeds',
    async prove(store) {
      for (const version of [undefined, 'known'] as const) {
        const expect = [{ key: 'k', version: version && (await versionOf(store, 'k')) }];
        const rivals = Array.from({ length: 32 }, (_, index) =>
          store.commit({ expect, put: [put('k', index), put(`mark/${index}`)] }),
        );
        const won = (await Promise.all(rivals)).flatMap((version, index) =>
          version ? [index] : [],
        );
        assert.equal(won.length, 1);
        assert.equal((await store.get('k'))?.value, won[0]);
        const marks = await store.list({ prefix: 'mark/', limit: 100 });
        assert.deepEqual(
          marks.map(({ value }) => value),
          [`mark/${won[0]}`],
        );
        await store.commit({ delete: marks.map(({ key }) => key) });
      }
    },
  },
  {
    id: 'metadata-commit-no-lost-update',
    name: 'concurrent increments, each retried until it succeeds, are all counted',
    async prove(store) {
      const increment = async (): Promise<void> => {
        for (;;) {
          const entry = await store.get('n');
          const next = ((entry?.value as number | undefined) ?? 0) + 1;
          const expect = [{ key: 'n', version: entry?.version }];
          if (await store.commit({ expect, put: [put('n', next), put(`log/${next}`)] })) return;
        }
      };
      const worker = async (): Promise<void> => {
        for (let count = 0; count < 10; count++) await increment();
      };
      await Promise.all(Array.from({ length: 8 }, worker));
      assert.equal((await store.get('n'))?.value, 80);
      assert.equal((await store.list({ prefix: 'log/', limit: 1000 })).length, 80);
    },
  },
  {
    id: 'metadata-commit-snapshot',
    name: 'getMany and list never return part of a commit',
    async prove(store) {
      const keys = Array.from({ length: 20 }, (_, index) => `pair/${index}`);
      let writing = true;
      const write = async (): Promise<void> => {
        for (let round = 0; writing && round < 50; round++) {
          await store.commit({ put: keys.map((key) => put(key, round)) });
        }
      };
      const read = async (): Promise<void> => {
        while (writing) {
          const many = await store.getMany(keys);
          assert.equal(new Set(many.map((entry) => entry?.value)).size, 1);
          const listed = await store.list({ prefix: 'pair/', limit: 100 });
          assert.ok(new Set(listed.map((entry) => entry.value)).size <= 1);
          await new Promise(setImmediate);
        }
      };
      const stop = () => {
        writing = false;
      };
      // Both must have ended before the store is closed, whatever their outcomes.
      const ends = await Promise.allSettled([write().finally(stop), read().finally(stop)]);
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    },
  },
];
