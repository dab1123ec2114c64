import assert from 'node:assert/strict';
import type { StorageClient } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';
import { list } from './list-objects.js';

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** All pages of a listing, each of the size that was asked for, as one. */
async function pages(
  storage: StorageClient,
  bucket: string,
  parameters: Readonly<Record<string, string | number>>,
  size: number,
): Promise<string[]> {
  const found: string[] = [];
  for (let marker = ''; ; ) {
    const { json, keys, prefixes } = await list(storage, bucket, {
      ...parameters,
      maxKeys: size,
      marker,
    });
    const page = [...keys, ...prefixes].sort(byBytes);
    assert.equal(json.marker, marker);
    found.push(...page);
    if (!json.isTruncated) {
      assert.equal(json.nextMarker, undefined);
      assert.ok(page.length <= Math.min(size, 1000));
      return found;
    }
    assert.equal(page.length, Math.min(size, 1000), 'a page that is not the last one is full');
    assert.equal(json.nextMarker, page.at(-1));
    marker = json.nextMarker;
  }
}

/** 2,500 keys: flat ones, and folders with from none to many keys. */
function manyKeys(): string[] {
  const keys: string[] = [];
  for (let at = 0; keys.length < 1000; at++) keys.push(`flat-${at}`);
  for (let at = 0; keys.length < 1500; at++) keys.push(`folder/${at}/only`);
  for (let at = 0; keys.length < 2400; at++) keys.push(`large/${at}`);
  for (let at = 0; keys.length < 2500; at++) keys.push(`f${at}/x`, `f${at}/y/z`);
  return keys;
}

const cut = (keys: readonly string[], prefix: string, delimiter: string): string[] => {
  const names = keys
    .filter((key) => key.startsWith(prefix))
    .map((key) => {
      const at = key.indexOf(delimiter, prefix.length);
      return at < 0 ? key : key.slice(0, at + delimiter.length);
    });
  return [...new Set(names)].sort(byBytes);
};

export const cases: readonly HttpRule[] = [
  {
    id: 'list-pages-all',
    name: 'pages of 2,500 keys add up to all of them, with and without delimiter, each once',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const keys = manyKeys();
      await storage.fill(bucket, keys);
      const all = keys.toSorted(byBytes);
      for (const size of [1000, 2000, 333]) {
        assert.deepEqual(await pages(storage, bucket, {}, size), all);
      }
      const slash = { delimiter: '/' };
      for (const size of [1000, 17]) {
        assert.deepEqual(await pages(storage, bucket, slash, size), cut(keys, '', '/'));
      }
      for (const prefix of ['folder/', 'large/', 'f', 'flat-9']) {
        const expected = cut(keys, prefix, '/');
        assert.deepEqual(await pages(storage, bucket, { ...slash, prefix }, 100), expected);
      }
      assert.deepEqual(await pages(storage, bucket, { delimiter: '-' }, 2), cut(keys, '', '-'));
    },
  },
  {
    id: 'list-pages-common-prefix',
    name: 'a marker that is a common prefix skips everything below it',
    async prove(storage) {
      const bucket = await storage.newBucket();
      await storage.fill(bucket, ['a/1', 'a/2', 'a/b/3', 'a0', 'b/1', 'c']);
      const first = await list(storage, bucket, { delimiter: '/', maxKeys: 1 });
      assert.deepEqual([first.keys, first.prefixes], [[], ['a/']]);
      assert.equal(first.json.isTruncated, true);
      assert.equal(first.json.nextMarker, 'a/');
      const next = await list(storage, bucket, { delimiter: '/', marker: 'a/' });
      assert.deepEqual([next.keys, next.prefixes], [['a0', 'c'], ['b/']]);
      const below = await list(storage, bucket, { marker: 'a/' });
      assert.deepEqual(below.keys, ['a/1', 'a/2', 'a/b/3', 'a0', 'b/1', 'c']);
    },
  },
  {
    id: 'list-pages-odd-delimiter',
    name: 'paging works with keys and delimiters of any characters',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const last = '\u{10ffff}';
      const keys = ['é', 'é1', 'aéb', 'aéc', '😀', '😀😀', 'x😀1', 'x😀2', '\uffff1', '\ud7ff2'];
      keys.push('', last, `${last}${last}`, `a${last}1`, `a${last}2`, 'b', '//', '/', '///');
      const names = keys.filter((key) => key !== '');
      await storage.fill(bucket, names);
      for (const delimiter of ['é', '😀', last, '\uffff', '\ud7ff', '/', 'a']) {
        for (const size of [1, 2, 5]) {
          const found = await pages(storage, bucket, { delimiter }, size);
          assert.deepEqual(found, cut(names, '', delimiter), `${delimiter} by ${size}`);
        }
      }
    },
  },
  {
    id: 'list-pages-counted',
    name: 'a common prefix counts once towards maxKeys, and a full last page is not truncated',
    async prove(storage) {
      const bucket = await storage.newBucket();
      await storage.fill(bucket, ['a/1', 'a/2', 'a/3', 'b', 'c/1', 'c/2']);
      const exact = await list(storage, bucket, { delimiter: '/', maxKeys: 3 });
      assert.deepEqual([exact.keys, exact.prefixes], [['b'], ['a/', 'c/']]);
      assert.equal(exact.json.isTruncated, false);
      assert.equal(exact.json.nextMarker, undefined);
      const short = await list(storage, bucket, { delimiter: '/', maxKeys: 2 });
      assert.equal(short.json.isTruncated, true);
      assert.equal(short.json.nextMarker, 'b');
    },
  },
  {
    id: 'list-pages-moving',
    name: 'keys that stay while others come and go are each listed once',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const stay = Array.from({ length: 40 }, (_, at) => `k${String(at).padStart(3, '0')}`);
      const go = stay.map((key) => `${key}-goes`);
      await storage.fill(bucket, [...stay, ...go]);
      const found: string[] = [];
      for (let marker = ''; ; ) {
        const page = await list(storage, bucket, { maxKeys: 7, marker });
        found.push(...page.keys);
        if (!page.json.isTruncated) break;
        marker = page.json.nextMarker;
        (await storage.delete(`/${bucket}/${go.shift()}`)).is(204);
        if (marker.endsWith('-goes')) await storage.delete(`/${bucket}/${marker}`);
        (await storage.put(`/${bucket}/${marker}-new`)).is(200);
      }
      assert.deepEqual(
        found.filter((key) => stay.includes(key)),
        stay,
      );
      assert.equal(new Set(found).size, found.length);
    },
  },
];
