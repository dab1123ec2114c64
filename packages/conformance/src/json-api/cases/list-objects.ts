import assert from 'node:assert/strict';
import type { StorageClient } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';

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

async function list(
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
    id: 'list-delimiter-long',
    name: 'a delimiter of more than one character is 400 InvalidArgument; an empty one is ignored',
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
    name: 'a repeated query parameter is 400 InvalidArgument',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const name of ['prefix', 'marker', 'delimiter', 'maxKeys']) {
        const answer = await storage.get(`/${bucket}?${name}=1&${name}=1`);
        answer.fails(400, 'InvalidArgument');
      }
    },
  },
  {
    id: 'list-query-decoding',
    name: 'in a query, + is a space and %2B a plus; anything but UTF-8 is 400 InvalidURI',
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
    id: 'json-list-empty',
    name: 'an empty listing has no nextMarker and no commonPrefixes',
    async prove(storage) {
      const name = await storage.newBucket();
      const answer = (await storage.get(`/${name}`)).is(200);
      assert.equal(answer.header('content-type'), 'application/json; charset=utf-8');
      const none = { prefix: '', marker: '', maxKeys: 1000, isTruncated: false, contents: [] };
      assert.deepEqual(answer.json, { name, ...none });
    },
  },
];
