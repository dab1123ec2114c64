import assert from 'node:assert/strict';
import type { StorageClient } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';

const ISO_SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** In the order of their UTF-8 bytes; UTF-16 would put the emoji before U+FFFF. */
const ORDERED = [
  ...['!', '/', '0', '10', '2', 'A', 'Z', 'a', 'a!', 'a/', 'a/b', 'a0', 'aa', 'b', '~'],
  ...['e\u0301', 'é', '\u07ff', '\u0800', '\ud7ff', '\ue000', '\uffff', '😀', '\u{10ffff}'],
].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

interface Listing {
  readonly keys: string[];
  readonly prefixes: string[];
  // biome-ignore lint/suspicious/noExplicitAny: the cases assert what is in it
  readonly json: any;
}

type Parameters = Readonly<Record<string, string | number>>;

const url = (bucket: string, parameters: Parameters): string => {
  const pairs = Object.entries(parameters);
  const query = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `/${bucket}?${query.join('&')}`;
};

export async function list(
  storage: StorageClient,
  bucket: string,
  parameters: Parameters = {},
): Promise<Listing> {
  const { json } = (await storage.get(url(bucket, parameters))).is(200);
  const keys = json.contents.map(({ key }: { key: string }) => key);
  const prefixes = (json.commonPrefixes ?? []).map(({ prefix }: { prefix: string }) => prefix);
  return { keys, prefixes, json };
}

async function filled(storage: StorageClient, keys: readonly string[]): Promise<string> {
  const bucket = await storage.newBucket();
  await storage.fill(bucket, keys);
  return bucket;
}

export const cases: readonly HttpRule[] = [
  {
    id: 'list-empty',
    name: 'an empty bucket lists name, empty prefix and marker, maxKeys 1000 and no contents',
    async prove(storage) {
      const name = await storage.newBucket();
      const answer = (await storage.get(`/${name}`)).is(200);
      assert.equal(answer.header('content-type'), 'application/json; charset=utf-8');
      const none = { prefix: '', marker: '', maxKeys: 1000, isTruncated: false, contents: [] };
      assert.deepEqual(answer.json, { name, ...none });
    },
  },
  {
    id: 'list-entry',
    name: 'an entry has key, lastModified, bare eTag, size, storageClass and owner',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key`, '123456789', { 'x-svc-storage-class': 'COLD' })).is(200);
      const [entry, ...more] = (await list(storage, bucket)).json.contents;
      assert.equal(more.length, 0);
      const { lastModified, ...rest } = entry;
      assert.match(lastModified, ISO_SECONDS);
      assert.deepEqual(rest, {
        key: 'key',
        eTag: '25f9e794323b453885f5181f1b624d0b',
        size: 9,
        storageClass: 'COLD',
        owner: { id: 'u-alice', displayName: 'Alice' },
      });
    },
  },
  {
    id: 'list-order',
    name: 'keys are listed in the order of their UTF-8 bytes',
    async prove(storage) {
      const bucket = await filled(storage, ORDERED.toReversed());
      assert.deepEqual((await list(storage, bucket)).keys, ORDERED);
      for (const [at, marker] of ORDERED.entries()) {
        assert.deepEqual((await list(storage, bucket, { marker })).keys, ORDERED.slice(at + 1));
      }
    },
  },
  {
    id: 'list-marker',
    name: 'a listing starts strictly after its marker, which need not exist',
    async prove(storage) {
      const bucket = await filled(storage, ['a', 'b', 'd']);
      assert.deepEqual((await list(storage, bucket, { marker: 'b' })).keys, ['d']);
      assert.deepEqual((await list(storage, bucket, { marker: 'c' })).keys, ['d']);
      assert.deepEqual((await list(storage, bucket, { marker: 'd' })).keys, []);
      assert.equal((await list(storage, bucket, { marker: 'a' })).json.marker, 'a');
      const below = await list(storage, bucket, { prefix: 'd', marker: 'a' });
      assert.deepEqual(below.keys, ['d']);
      const behind = await list(storage, bucket, { prefix: 'a', marker: 'b' });
      assert.deepEqual(behind.keys, []);
    },
  },
  {
    id: 'list-prefix',
    name: 'a prefix selects exactly the keys that start with it, byte for byte',
    async prove(storage) {
      const keys = ['A/1', 'a', 'a/', 'a/1', 'a/2', 'a0', 'e\u0301x', 'éx', '%2F', '\uffffx', '😀'];
      const bucket = await filled(storage, keys);
      for (const prefix of ['a', 'a/', 'a/1', 'é', 'e', '%2F', '\uffff', '😀', 'no', 'a/1/', 'A']) {
        const { keys: found, json } = await list(storage, bucket, { prefix });
        assert.deepEqual(found.sort(), keys.filter((key) => key.startsWith(prefix)).sort(), prefix);
        assert.equal(json.prefix, prefix);
      }
    },
  },
  {
    id: 'list-delimiter',
    name: 'keys that share what stands up to the first delimiter are one common prefix',
    async prove(storage) {
      const keys = ['a', 'a/1', 'a/2/3', 'a/b/c', 'b/', 'b/1', 'c', '/x', '//y'];
      const bucket = await filled(storage, keys);
      const top = await list(storage, bucket, { delimiter: '/' });
      assert.deepEqual(top.keys, ['a', 'c']);
      assert.deepEqual(top.prefixes, ['/', 'a/', 'b/']);
      assert.equal(top.json.delimiter, '/');
      const a = await list(storage, bucket, { delimiter: '/', prefix: 'a/' });
      assert.deepEqual([a.keys, a.prefixes], [['a/1'], ['a/2/', 'a/b/']]);
      const b = await list(storage, bucket, { delimiter: '/', prefix: 'b/' });
      assert.deepEqual([b.keys, b.json.commonPrefixes], [['b/', 'b/1'], undefined]);
      const half = await list(storage, bucket, { delimiter: '/', prefix: 'a' });
      assert.deepEqual([half.keys, half.prefixes], [['a'], ['a/']]);
      const slash = await list(storage, bucket, { delimiter: '/', prefix: '/' });
      assert.deepEqual([slash.keys, slash.prefixes], [['/x'], ['//']]);
    },
  },
  {
    id: 'list-delimiter-any',
    name: 'any single character may be the delimiter, also one of several bytes',
    async prove(storage) {
      const bucket = await filled(storage, [
        '1é2',
        '1é3',
        '1e\u0301',
        'x😀y',
        'x😀z',
        'x😁',
        'a b',
      ]);
      const accent = await list(storage, bucket, { delimiter: 'é' });
      assert.deepEqual(accent.prefixes, ['1é']);
      assert.equal(accent.keys.length, 5);
      const emoji = await list(storage, bucket, { delimiter: '😀' });
      assert.deepEqual(emoji.prefixes, ['x😀']);
      assert.equal(emoji.keys.length, 5);
      const blank = await list(storage, bucket, { delimiter: ' ' });
      assert.deepEqual(blank.prefixes, ['a ']);
    },
  },
  {
    id: 'list-delimiter-long',
    name: 'a delimiter of more than one character is 400 InvalidArgument; an empty one is none',
    async prove(storage) {
      const bucket = await filled(storage, ['a/1']);
      for (const delimiter of ['//', 'ab', 'e\u0301', '😀😀']) {
        const answer = await storage.get(url(bucket, { delimiter }));
        answer.fails(400, 'InvalidArgument');
      }
      const { keys, json } = await list(storage, bucket, { delimiter: '' });
      assert.deepEqual([keys, json.commonPrefixes], [['a/1'], undefined]);
    },
  },
  {
    id: 'list-max-keys',
    name: 'maxKeys over 1000 counts as 1000, and 0 lists nothing and is not truncated',
    async prove(storage) {
      const bucket = await filled(storage, ['a', 'b']);
      for (const maxKeys of ['1000', '1001', '2147483648', '9007199254740991']) {
        const { json, keys } = await list(storage, bucket, { maxKeys });
        assert.deepEqual([json.maxKeys, keys], [1000, ['a', 'b']], maxKeys);
      }
      const { json } = await list(storage, bucket, { maxKeys: 0 });
      assert.deepEqual([json.maxKeys, json.contents, json.isTruncated], [0, [], false]);
    },
  },
  {
    id: 'list-max-keys-strict',
    name: 'maxKeys is a plain decimal number; anything else is 400 InvalidArgument',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const values = ['-1', 'abc', '0x10', '1e3', '1.0', '+5', ' 5', '5 ', '1_000', '٣', 'NaN'];
      for (const maxKeys of [...values, '00', '007', 'Infinity', '', '9'.repeat(30)]) {
        const answer = await storage.get(url(bucket, { maxKeys }));
        answer.fails(400, 'InvalidArgument');
      }
    },
  },
  {
    id: 'list-duplicate-parameter',
    name: 'a query parameter that is given twice is 400 InvalidArgument',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const name of ['prefix', 'marker', 'delimiter', 'maxKeys']) {
        const answer = await storage.get(`/${bucket}?${name}=1&${name}=1`);
        answer.fails(400, 'InvalidArgument');
      }
    },
  },
  {
    id: 'list-marker-long',
    name: 'a marker or prefix that is longer than any key is 400 InvalidArgument',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const long = 'x'.repeat(1025);
      (await storage.get(url(bucket, { marker: long }))).fails(400, 'InvalidArgument');
      (await storage.get(url(bucket, { prefix: long }))).fails(400, 'InvalidArgument');
      assert.deepEqual((await list(storage, bucket, { marker: 'x'.repeat(1023) })).keys, []);
    },
  },
  {
    id: 'list-query-decoding',
    name: 'in a query + is a space and %2B a plus; what is not UTF-8 is 400 InvalidURI',
    async prove(storage) {
      const bucket = await filled(storage, ['a b', 'a+b']);
      const spaced = (await storage.get(`/${bucket}?prefix=a+b`)).is(200);
      assert.deepEqual(spaced.json.contents.length, 1);
      assert.equal(spaced.json.contents[0].key, 'a b');
      assert.deepEqual((await list(storage, bucket, { prefix: 'a+' })).keys, ['a+b']);
      for (const value of ['%zz', '%ff', '%c0%ae', '%ed%a0%80', '%']) {
        (await storage.get(`/${bucket}?prefix=${value}`)).fails(400, 'InvalidURI');
      }
    },
  },
  {
    id: 'list-odd-prefix',
    name: 'a prefix or marker of any text never breaks out of its bucket',
    async prove(storage) {
      const bucket = await filled(storage, ['inside']);
      for (const text of ['../', '/', '__proto__', '\0', 'i\0', '\u{10ffff}', '..%2f']) {
        assert.deepEqual((await list(storage, bucket, { prefix: text })).keys, []);
        const after = (await list(storage, bucket, { marker: text })).keys;
        assert.deepEqual(after, text < 'inside' ? ['inside'] : [], JSON.stringify(text));
      }
    },
  },
];
