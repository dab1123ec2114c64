import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { MetadataStore } from '@bucketware/core/contracts';
import type { DriverRule } from './driver-suite.js';

const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 32,
  2 ** 32 + 1,
  2 ** 40,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
  5e-324,
  '',
  'text',
  'é e\u0301 \0 😀 \uffff',
  'x'.repeat(100_000),
  [],
  {},
  [1, [2, [3, { deep: [null] }]]],
  { '': 1, a: { b: { c: [] } }, constructor: 'x', toString: 1, '😀': true },
  [
    ['__proto__', 'a'],
    ['constructor', 'b'],
  ],
  Array.from({ length: 1000 }, (_, index) => ({ index, name: `name ${index}` })),
  Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`key ${index}`, index])),
];

export const valueCases: readonly DriverRule<MetadataStore>[] = [
  {
    id: 'metadata-values-round-trip',
    name: 'get, getMany and list return plain data as it was committed',
    async prove(store) {
      const put = VALUES.map((value, index) => ({ key: `v/${1000 + index}`, value }));
      assert.ok(await store.commit({ put }));
      const listed = await store.list({ prefix: 'v/', limit: 1000 });
      const many = await store.getMany(put.map(({ key }) => key));
      for (const [index, { key, value }] of put.entries()) {
        assert.deepEqual((await store.get(key))?.value, value);
        assert.deepEqual(listed[index]?.value, value);
        assert.deepEqual(many[index]?.value, value);
      }
    },
  },
  {
    id: 'metadata-values-bytes',
    name: 'getMany returns bytes as a Uint8Array, empty or large, alone or within an object',
    async prove(store) {
      for (const size of [0, 1, 255, 65_536, 1_000_000]) {
        const bytes = new Uint8Array(randomBytes(size));
        await store.commit({ put: [{ key: 'k', value: { bytes, list: [bytes] } }] });
        await store.commit({ put: [{ key: 'l', value: bytes.subarray(size >> 1) }] });
        const [k, l] = await store.getMany(['k', 'l']);
        const found = k?.value as { bytes: Uint8Array; list: Uint8Array[] };
        for (const copy of [found.bytes, found.list[0]]) {
          assert.ok(copy instanceof Uint8Array);
          assert.ok(Buffer.from(copy).equals(bytes));
        }
        assert.ok(Buffer.from(l?.value as Uint8Array).equals(bytes.subarray(size >> 1)));
      }
    },
  },
  {
    id: 'metadata-values-own-proto',
    name: 'commit stores or rejects an own property named __proto__, and changes no prototype',
    async prove(store) {
      const value = JSON.parse('{"a":{"__proto__":{"polluted":true}}}');
      try {
        await store.commit({ put: [{ key: 'k', value }] });
      } catch (error) {
        assert.ok(error instanceof TypeError);
        assert.equal(await store.get('k'), undefined);
        return;
      }
      const found = (await store.get('k'))?.value as { a: object };
      assert.deepEqual(Object.keys(found.a), ['__proto__']);
      assert.equal((found.a as { polluted?: boolean }).polluted, undefined);
    },
  },
  {
    id: 'metadata-values-refused',
    name: 'commit rejects a value that is not plain data, with the whole change',
    async prove(store) {
      await store.commit({ put: [{ key: 'old', value: 1 }] });
      for (const value of [() => 1, 1n, Symbol('x'), { deep: [() => 1] }, new Map()]) {
        const put = [
          { key: 'first', value: 1 },
          { key: 'second', value },
        ];
        await assert.rejects(store.commit({ put, delete: ['old'] }), TypeError);
      }
      const left = await store.list({ prefix: '', limit: 10 });
      assert.deepEqual(
        left.map(({ key }) => key),
        ['old'],
      );
    },
  },
  {
    id: 'metadata-values-isolated',
    name: 'changing a value after commit, get, getMany or list does not change the stored one',
    async prove(store) {
      const value = { list: [1], bytes: Uint8Array.of(1, 2, 3), deep: { x: 1 } };
      const expected = { list: [1], bytes: [1, 2, 3], deep: { x: 1 } };
      const spoil = (target: typeof value): void => {
        target.list.push(2);
        target.bytes[0] = 9;
        target.deep.x = 2;
      };
      const running = store.commit({ put: [{ key: 'k', value }] });
      spoil(value);
      await running;
      const read = async () => (await store.get('k'))?.value as typeof value;
      for (let round = 0; round < 2; round++) {
        const found = await read();
        assert.deepEqual({ ...found, bytes: [...found.bytes] }, expected);
        spoil(found);
        spoil((await store.list({ prefix: 'k', limit: 1 }))[0]?.value as typeof value);
        spoil((await store.getMany(['k']))[0]?.value as typeof value);
      }
    },
  },
];
