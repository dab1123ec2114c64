import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import type { DialectClient } from '../client.js';
import { codeOf, fails } from '../failure.js';
import { absent, byBytes, textOf } from '../tools.js';
import type { Key } from '../values.js';

/** Keys that other servers have not treated as plain names. */
const ODD = [
  ...['.', '..', '...', './', '../', './a', '../a', 'a/.', 'a/..', 'a/./b', 'a/../b'],
  ...['/', '//', '///', '/a', '//a', 'a/', 'a//', 'a//b', '/../', '\\', '..\\a', 'a\\b', 'C:\\a'],
  ...[
    'a',
    'A',
    'a ',
    ' a',
    ' ',
    '  ',
    '+',
    'a+b',
    '%',
    '%2f',
    '%2F',
    '%2e%2e',
    '%00',
    '%25',
    '%zz',
  ],
  ...['?', '#', 'a?b=c', 'a#b', '&', '=', ';', ';a=b', ':', '@', '*', '"', "'", '<p>', '|', '~'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'null', 'undefined', 'v1', 'v1/a'],
  ...['CON', 'nul', 'COM1.txt', 'AUX', 'a.', 'a:b', '.git/config', 'index.html', 'favicon.ico'],
  ...['é', 'e\u0301', 'ﬁ', 'fi', 'ß', 'SS', 'K', '\u212a', 'İ', '你好', '😀', '\u200b', '\ufeff'],
  ...['\u202ea', '\uffff', '\u{10ffff}', '\ue000', '\t', '\n', 'a\r\nb', '\x01', '\x7f', '\x80'],
  ...['x'.repeat(300), `${'y'.repeat(300)}/${'z'.repeat(300)}`, 'd/'.repeat(200)],
];

/** Paths that are not percent-encoded UTF-8. */
const UNREADABLE = [
  ...['%', '%z', '%zz', '%2', 'a%', 'a%g0', '%u0041', '%ff', '%80', '%c3', '%c3%28', 'a%e9'],
  ...['%c0%ae', '%c0%af', '%c1%9c', '%e0%80%ae', '%f0%80%80%ae', '%ed%a0%80', '%ed%bf%bf'],
  ...['%f4%90%80%80', '%f8%88%80%80%80', '%fe', '%c0%80'],
];

/** Paths that lead out of the bucket, and then out of the place of the storage. */
const OUTSIDE = [
  ...['../../x', '../..', 'a/../../../x', '%2e%2e/%2E./x', '..%2f..%2fy', 'a/..//../../x'],
  ...['..%5c..%5cz', './.././../x'],
];

/** Keys, each with ways to write it in a path. */
const SPELLINGS: readonly (readonly [string, readonly string[]])[] = [
  ['..', ['..', '%2e%2e', '%2E.', '.%2e']],
  ['a/b', ['a/b', 'a%2Fb', 'a%2fb', '%61/b', '%61%2F%62']],
  ['a+b', ['a+b', 'a%2Bb', 'a%2bb']],
  ['%2F', ['%252F', '%25%32%46']],
  ['é', ['%C3%A9', '%c3%a9', '%C3%a9']],
  ['a b', ['a%20b']],
  ['?#', ['%3F%23', '%3f%23']],
  ["~!*()'", ["~!*()'", '%7E%21%2A%28%29%27']],
];

async function roundTrip(
  client: DialectClient,
  bucket: string,
  key: Key,
  text: string,
): Promise<void> {
  await client.putObject(bucket, key, text);
  assert.equal((await client.getObject(bucket, key)).text, text);
  assert.equal((await client.headObject(bucket, key)).size, Buffer.byteLength(text));
}

const keysIn = async (client: DialectClient, bucket: string) =>
  (await client.listObjects(bucket)).keys;

export const cases: readonly Case[] = [
  {
    id: 'keys-odd',
    name: 'keys are opaque text: each is a separate object for PUT, GET, HEAD, LIST and DELETE',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      assert.equal(new Set(ODD).size, ODD.length);
      for (const key of ODD) await roundTrip(alice, bucket, key, `I am ${key}`);
      for (const key of ODD) assert.equal(await textOf(alice, bucket, key), `I am ${key}`);
      assert.deepEqual(await keysIn(alice, bucket), ODD.toSorted(byBytes));
      for (const [at, key] of ODD.entries()) {
        if (at % 2 === 0) await alice.deleteObject(bucket, key);
      }
      for (const [at, key] of ODD.entries()) {
        const code = await codeOf(alice.headObject(bucket, key));
        assert.equal(code, at % 2 === 0 ? 'NoSuchKey' : 'done', key);
      }
    },
  },
  {
    id: 'keys-raw-dots',
    name: 'dots and slashes of the raw path are part of the key, which is not normalised',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const paths = ['a/../b', 'a/./b', '..', '.', '../x', 'a//b', '/', '//', 'a/..'];
      for (const encoded of paths) {
        await roundTrip(alice, bucket, { encoded }, encoded);
      }
      const expected = paths.toSorted(byBytes);
      assert.deepEqual(await keysIn(alice, bucket), expected);
      await fails(alice.getObject(bucket, 'b'), 'NoSuchKey');
      await fails(alice.getObject(bucket, 'a/b'), 'NoSuchKey');
    },
  },
  {
    id: 'keys-outside',
    name: 'a path that .. leads out of the mount is 400 InvalidURI, because proxies resolve it',
    async prove({ alice, newBucket, server }) {
      const bucket = await newBucket();
      const isMounted = new URL(server.url).pathname !== '/';
      const expected = isMounted ? 'InvalidURI' : 'done';
      for (const encoded of OUTSIDE) {
        const put = alice.putObject(bucket, { encoded }, 'x');
        assert.equal(await codeOf(put), expected, encoded);
        assert.equal(await codeOf(alice.getObject(bucket, { encoded })), expected, encoded);
      }
      assert.equal((await keysIn(alice, bucket)).length, isMounted ? 0 : OUTSIDE.length);
    },
  },
  {
    id: 'keys-spellings',
    name: 'all percent-encoded spellings of a key name the same object, and are decoded exactly once',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (const [key, paths] of SPELLINGS) {
        for (const written of paths) {
          const text = `${key} as ${written}`;
          await alice.putObject(bucket, { encoded: written }, text);
          for (const encoded of paths) {
            assert.equal((await alice.getObject(bucket, { encoded })).text, text, encoded);
          }
          assert.equal(await textOf(alice, bucket, key), text);
        }
      }
      const keys = SPELLINGS.map(([key]) => key);
      assert.deepEqual(await keysIn(alice, bucket), keys.sort(byBytes));
    },
  },
  {
    id: 'keys-unreadable',
    name: 'a path that is not percent-encoded UTF-8 is 400 InvalidURI for every method',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (const encoded of UNREADABLE) {
        await fails(alice.putObject(bucket, { encoded }, ''), 'InvalidURI', encoded);
        await fails(alice.getObject(bucket, { encoded }), 'InvalidURI', encoded);
        await fails(alice.deleteObject(bucket, { encoded }), 'InvalidURI', encoded);
        // HEAD returns only a status.
        const { http } = await fails(alice.headObject(bucket, { encoded }), 'InvalidArgument');
        assert.equal(http.status, 400);
      }
      assert.deepEqual(await keysIn(alice, bucket), []);
    },
  },
  {
    id: 'keys-length',
    name: 'a key has at most as many bytes of UTF-8 as the dialect allows; a longer one, or one with NUL, is 400 InvalidObjectName',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      const most = traits.maxKeyBytes;
      const fits = ['x', 'é', '😀'].map((letter) => {
        const whole = Math.floor(most / Buffer.byteLength(letter));
        return letter.repeat(whole) + 'y'.repeat(most - whole * Buffer.byteLength(letter));
      });
      for (const key of fits) await roundTrip(alice, bucket, key, 'long');
      const long = [...fits.map((key) => `${key}x`), 'x'.repeat(3000)];
      for (const key of [...long, 'é'.repeat(most), '\0', 'a\0', 'a\0b']) {
        await fails(alice.putObject(bucket, key, 'no'), 'InvalidObjectName');
        await fails(alice.getObject(bucket, key), 'InvalidObjectName');
        await fails(alice.deleteObject(bucket, key), 'InvalidObjectName');
        await fails(alice.headObject(bucket, key), 'InvalidArgument');
      }
      assert.deepEqual(await keysIn(alice, bucket), fits.toSorted(byBytes));
      for (const key of fits) await alice.deleteObject(bucket, key);
    },
  },
  {
    id: 'keys-case-and-form',
    name: 'upper and lower case, and both forms of é, are different keys',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (const key of ['key', 'KEY', 'Key', '\u00e9', 'e\u0301']) {
        await roundTrip(alice, bucket, key, key);
      }
      await alice.deleteObject(bucket, 'key');
      await alice.deleteObject(bucket, 'e\u0301');
      assert.deepEqual(await keysIn(alice, bucket), ['KEY', 'Key', '\u00e9']);
    },
  },
  {
    id: 'keys-between-buckets',
    name: 'no key gives access to another bucket',
    async prove({ alice, newBucket }) {
      const [one, two] = [await newBucket(), await newBucket()];
      await alice.putObject(two, 'secret', 'secret');
      for (const up of ['..', '%2e%2e', 'a/..%2f..', 'a/../..', '/..', '../b', '%2f..']) {
        const key = { encoded: `${up}/${two}/secret` };
        await fails(alice.getObject(one, key), 'NoSuchKey');
        await alice.putObject(one, key, 'mine');
        await alice.deleteObject(one, key);
      }
      await absent(alice, one, 'secret');
      assert.equal(await textOf(alice, two, 'secret'), 'secret');
    },
  },
];
