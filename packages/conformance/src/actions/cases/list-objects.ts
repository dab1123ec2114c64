import assert from 'node:assert/strict';
import type { Case, CaseContext } from '../case.js';
import { fails } from '../failure.js';
import { byBytes } from '../tools.js';

/** Keys in the order of their UTF-8 bytes. In UTF-16, the emoji would come before U+FFFF. */
const ORDERED = [
  ...['!', '/', '0', '10', '2', 'A', 'Z', 'a', 'a!', 'a/', 'a/b', 'a0', 'aa', 'b', '~'],
  ...['e\u0301', 'é', '\u07ff', '\u0800', '\ud7ff', '\ue000', '\uffff', '😀', '\u{10ffff}'],
].sort(byBytes);

async function filled({ newBucket, fill }: CaseContext, keys: readonly string[]): Promise<string> {
  const bucket = await newBucket();
  await fill(bucket, keys);
  return bucket;
}

export const cases: readonly Case[] = [
  {
    id: 'list-empty',
    name: 'the listing of an empty bucket has its name, empty prefix and marker, maxKeys 1000 and no contents',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      assert.deepEqual(await alice.listObjects(bucket), {
        ...{ bucket, prefix: '', delimiter: undefined, marker: '', maxKeys: 1000 },
        ...{ truncated: false, nextMarker: undefined, objects: [], keys: [], prefixes: [] },
      });
    },
  },
  {
    id: 'list-entry',
    name: 'an entry has key, lastModified, unquoted eTag, size, storageClass and owner',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'key', '123456789', { storageClass: 'STANDARD_IA' });
      const [entry, ...more] = (await alice.listObjects(bucket)).objects;
      assert.ok(entry && more.length === 0);
      const { lastModified, ...rest } = entry;
      assert.ok(Math.abs(lastModified.getTime() - Date.now()) < 600_000, 'times are UTC');
      assert.deepEqual(rest, {
        key: 'key',
        etag: '25f9e794323b453885f5181f1b624d0b',
        size: 9,
        storageClass: 'STANDARD_IA',
        owner: { id: 'u-alice', displayName: 'Alice' },
      });
    },
  },
  {
    id: 'list-order',
    name: 'keys are listed in the order of their UTF-8 bytes',
    async prove(context) {
      const { alice } = context;
      const bucket = await filled(context, ORDERED.toReversed());
      assert.deepEqual((await alice.listObjects(bucket)).keys, ORDERED);
      for (const [at, marker] of ORDERED.entries()) {
        const { keys } = await alice.listObjects(bucket, { marker });
        assert.deepEqual(keys, ORDERED.slice(at + 1));
      }
    },
  },
  {
    id: 'list-marker',
    name: 'a listing starts strictly after its marker, which need not exist',
    async prove(context) {
      const { alice } = context;
      const bucket = await filled(context, ['a', 'b', 'd']);
      const keys = async (marker: string, prefix?: string) =>
        (await alice.listObjects(bucket, { marker, prefix })).keys;
      assert.deepEqual(await keys('b'), ['d']);
      assert.deepEqual(await keys('c'), ['d']);
      assert.deepEqual(await keys('d'), []);
      assert.equal((await alice.listObjects(bucket, { marker: 'a' })).marker, 'a');
      assert.deepEqual(await keys('a', 'd'), ['d']);
      assert.deepEqual(await keys('b', 'a'), []);
    },
  },
  {
    id: 'list-prefix',
    name: 'a prefix selects exactly the keys that start with it, byte for byte',
    async prove(context) {
      const keys = ['A/1', 'a', 'a/', 'a/1', 'a/2', 'a0', 'e\u0301x', 'éx', '%2F', '\uffffx', '😀'];
      const bucket = await filled(context, keys);
      for (const prefix of ['a', 'a/', 'a/1', 'é', 'e', '%2F', '\uffff', '😀', 'no', 'a/1/', 'A']) {
        const page = await context.alice.listObjects(bucket, { prefix });
        const expected = keys.filter((key) => key.startsWith(prefix));
        assert.deepEqual(page.keys, expected.sort(byBytes), prefix);
        assert.equal(page.prefix, prefix);
      }
    },
  },
  {
    id: 'list-delimiter',
    name: 'keys that are equal up to the first delimiter form one common prefix',
    async prove(context) {
      const keys = ['a', 'a/1', 'a/2/3', 'a/b/c', 'b/', 'b/1', 'c', '/x', '//y'];
      const bucket = await filled(context, keys);
      const list = async (prefix?: string) => {
        const page = await context.alice.listObjects(bucket, { delimiter: '/', prefix });
        assert.equal(page.delimiter, '/');
        return [page.keys, page.prefixes];
      };
      assert.deepEqual(await list(), [
        ['a', 'c'],
        ['/', 'a/', 'b/'],
      ]);
      assert.deepEqual(await list('a/'), [['a/1'], ['a/2/', 'a/b/']]);
      assert.deepEqual(await list('b/'), [['b/', 'b/1'], []]);
      assert.deepEqual(await list('a'), [['a'], ['a/']]);
      assert.deepEqual(await list('/'), [['/x'], ['//']]);
    },
  },
  {
    id: 'list-delimiter-any',
    name: 'any single character may be the delimiter, even one of several bytes',
    async prove(context) {
      const keys = ['1é2', '1é3', '1e\u0301', 'x😀y', 'x😀z', 'x😁', 'a b'];
      const bucket = await filled(context, keys);
      for (const [delimiter, prefix, left] of [
        ['é', '1é', 5],
        ['😀', 'x😀', 5],
        [' ', 'a ', 6],
      ] as const) {
        const page = await context.alice.listObjects(bucket, { delimiter });
        assert.deepEqual(page.prefixes, [prefix]);
        assert.equal(page.keys.length, left);
      }
    },
  },
  {
    id: 'list-max-keys',
    name: 'maxKeys above 1000 is treated as 1000; 0 lists nothing and is not truncated',
    async prove(context) {
      const { alice } = context;
      const bucket = await filled(context, ['a', 'b']);
      for (const maxKeys of [1000, 1001, 2_147_483_648, 9_007_199_254_740_991]) {
        const page = await alice.listObjects(bucket, { maxKeys });
        assert.deepEqual([page.maxKeys, page.keys], [1000, ['a', 'b']], `${maxKeys}`);
      }
      const none = await alice.listObjects(bucket, { maxKeys: 0 });
      assert.deepEqual([none.maxKeys, none.objects, none.truncated], [0, [], false]);
    },
  },
  {
    id: 'list-max-keys-negative',
    name: 'a negative maxKeys is InvalidArgument',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await fails(alice.listObjects(bucket, { maxKeys: -1 }), 'InvalidArgument');
    },
  },
  {
    id: 'list-marker-long',
    name: 'a marker or prefix that is longer than the longest key is 400 InvalidArgument',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const long = 'x'.repeat(1025);
      await fails(alice.listObjects(bucket, { marker: long }), 'InvalidArgument');
      await fails(alice.listObjects(bucket, { prefix: long }), 'InvalidArgument');
      const { keys } = await alice.listObjects(bucket, { marker: 'x'.repeat(1023) });
      assert.deepEqual(keys, []);
    },
  },
  {
    id: 'list-odd-prefix',
    name: 'no prefix or marker lists keys of another bucket',
    async prove(context) {
      const { alice } = context;
      const bucket = await filled(context, ['inside']);
      for (const text of ['../', '/', '__proto__', '\0', 'i\0', '\u{10ffff}', '..%2f']) {
        assert.deepEqual((await alice.listObjects(bucket, { prefix: text })).keys, []);
        const after = (await alice.listObjects(bucket, { marker: text })).keys;
        assert.deepEqual(after, text < 'inside' ? ['inside'] : [], JSON.stringify(text));
      }
    },
  },
];
