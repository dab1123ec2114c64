import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import type { DialectClient } from '../client.js';
import type { ListOptions } from '../pages.js';
import { byBytes } from '../tools.js';

/** Joins all pages of a listing, each of the requested size. */
async function pages(
  client: DialectClient,
  bucket: string,
  options: ListOptions,
  size: number,
): Promise<string[]> {
  const found: string[] = [];
  for (let marker = ''; ; ) {
    const request = { ...options, maxKeys: size, marker };
    const { keys, prefixes, truncated, nextMarker, ...page } = await client.listObjects(
      bucket,
      request,
    );
    const names = [...keys, ...prefixes].sort(byBytes);
    assert.equal(page.marker, marker);
    found.push(...names);
    if (!truncated) {
      assert.equal(nextMarker, undefined);
      assert.ok(names.length <= Math.min(size, 1000));
      return found;
    }
    assert.equal(names.length, Math.min(size, 1000), 'a page that is not the last one is full');
    assert.equal(nextMarker, names.at(-1));
    marker = nextMarker ?? '';
  }
}

/** 2,500 keys, some in folders with one or many keys. */
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

export const cases: readonly Case[] = [
  {
    id: 'list-pages-all',
    name: 'the pages of 2,500 keys contain each key once, with and without a delimiter',
    async prove({ alice, newBucket, fill }) {
      const bucket = await newBucket();
      const keys = manyKeys();
      await fill(bucket, keys);
      const all = keys.toSorted(byBytes);
      for (const size of [1000, 2000, 333]) {
        assert.deepEqual(await pages(alice, bucket, {}, size), all);
      }
      const slash = { delimiter: '/' };
      for (const size of [1000, 17]) {
        assert.deepEqual(await pages(alice, bucket, slash, size), cut(keys, '', '/'));
      }
      for (const prefix of ['folder/', 'large/', 'f', 'flat-9']) {
        const expected = cut(keys, prefix, '/');
        assert.deepEqual(await pages(alice, bucket, { ...slash, prefix }, 100), expected);
      }
      assert.deepEqual(await pages(alice, bucket, { delimiter: '-' }, 2), cut(keys, '', '-'));
    },
  },
  {
    id: 'list-pages-common-prefix',
    name: 'a marker that is a common prefix skips everything below it',
    async prove({ alice, newBucket, fill }) {
      const bucket = await newBucket();
      await fill(bucket, ['a/1', 'a/2', 'a/b/3', 'a0', 'b/1', 'c']);
      const first = await alice.listObjects(bucket, { delimiter: '/', maxKeys: 1 });
      assert.deepEqual([first.keys, first.prefixes], [[], ['a/']]);
      assert.deepEqual([first.truncated, first.nextMarker], [true, 'a/']);
      const next = await alice.listObjects(bucket, { delimiter: '/', marker: 'a/' });
      assert.deepEqual([next.keys, next.prefixes], [['a0', 'c'], ['b/']]);
      const below = await alice.listObjects(bucket, { marker: 'a/' });
      assert.deepEqual(below.keys, ['a/1', 'a/2', 'a/b/3', 'a0', 'b/1', 'c']);
    },
  },
  {
    id: 'list-pages-odd-delimiter',
    name: 'pagination works with any characters in keys and delimiters',
    async prove({ alice, newBucket, fill }) {
      const bucket = await newBucket();
      const last = '\u{10ffff}';
      const keys = ['é', 'é1', 'aéb', 'aéc', '😀', '😀😀', 'x😀1', 'x😀2', '\uffff1', '\ud7ff2'];
      keys.push(last, `${last}${last}`, `a${last}1`, `a${last}2`, 'b', '//', '/', '///');
      await fill(bucket, keys);
      for (const delimiter of ['é', '😀', last, '\uffff', '\ud7ff', '/', 'a']) {
        for (const size of [1, 2, 5]) {
          const found = await pages(alice, bucket, { delimiter }, size);
          assert.deepEqual(found, cut(keys, '', delimiter), `${delimiter} by ${size}`);
        }
      }
    },
  },
  {
    id: 'list-pages-counted',
    name: 'a common prefix counts as one entry of maxKeys, and a full last page is not truncated',
    async prove({ alice, newBucket, fill }) {
      const bucket = await newBucket();
      await fill(bucket, ['a/1', 'a/2', 'a/3', 'b', 'c/1', 'c/2']);
      const exact = await alice.listObjects(bucket, { delimiter: '/', maxKeys: 3 });
      assert.deepEqual([exact.keys, exact.prefixes], [['b'], ['a/', 'c/']]);
      assert.deepEqual([exact.truncated, exact.nextMarker], [false, undefined]);
      const short = await alice.listObjects(bucket, { delimiter: '/', maxKeys: 2 });
      assert.deepEqual([short.truncated, short.nextMarker], [true, 'b']);
    },
  },
  {
    id: 'list-pages-moving',
    name: 'keys that stay while others are added and deleted are each listed once',
    async prove({ alice, newBucket, fill }) {
      const bucket = await newBucket();
      const stay = Array.from({ length: 40 }, (_, at) => `k${String(at).padStart(3, '0')}`);
      const go = stay.map((key) => `${key}-goes`);
      await fill(bucket, [...stay, ...go]);
      const found: string[] = [];
      for (let marker: string | undefined = ''; ; ) {
        const page = await alice.listObjects(bucket, { maxKeys: 7, marker });
        found.push(...page.keys);
        marker = page.nextMarker;
        if (marker === undefined) break;
        const gone = go.shift() ?? '';
        await alice.deleteObject(bucket, gone);
        if (marker.endsWith('-goes') && marker !== gone)
          await alice.deleteObjects(bucket, [marker]);
        await alice.putObject(bucket, `${marker}-new`, '');
      }
      assert.deepEqual(
        found.filter((key) => stay.includes(key)),
        stay,
      );
      assert.equal(new Set(found).size, found.length);
    },
  },
];
