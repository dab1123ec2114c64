import assert from 'node:assert/strict';
import type { StorageClient } from '../wire/client.js';
import { pathOf } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';
import { list } from './list-objects.js';

/** What others have read as something else than a name. */
const ODD = [
  ...['.', '..', '...', './', '../', './a', '../a', 'a/.', 'a/..', 'a/./b', 'a/../b', '../../../x'],
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

const roundTrip = async (storage: StorageClient, path: string, text: string): Promise<void> => {
  (await storage.put(path, text)).is(200);
  assert.equal((await storage.get(path)).is(200).text, text);
  const { length } = Buffer.from(text);
  assert.equal((await storage.head(path)).is(200).header('content-length'), String(length));
};

export const cases: readonly HttpRule[] = [
  {
    id: 'keys-odd',
    name: 'keys are opaque text: each is an object of its own through PUT, GET, HEAD, LIST, DELETE',
    async prove(storage) {
      const bucket = await storage.newBucket();
      assert.equal(new Set(ODD).size, ODD.length);
      for (const key of ODD) await roundTrip(storage, pathOf(bucket, key), `I am ${key}`);
      for (const key of ODD) {
        assert.equal((await storage.get(pathOf(bucket, key))).is(200).text, `I am ${key}`);
      }
      const order = ODD.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      assert.deepEqual((await list(storage, bucket)).keys, order);
      for (const [at, key] of ODD.entries()) {
        if (at % 2 === 0) (await storage.delete(pathOf(bucket, key))).is(204);
      }
      for (const [at, key] of ODD.entries()) {
        (await storage.head(pathOf(bucket, key))).is(at % 2 === 0 ? 404 : 200);
      }
    },
  },
  {
    id: 'keys-raw-dots',
    name: 'dots and slashes of the raw path are part of the key; nothing is normalised away',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const paths = [
        'a/../b',
        'a/./b',
        '..',
        '.',
        '../x',
        'a//b',
        '/',
        '//',
        'a/..',
        '../../../etc',
      ];
      for (const path of paths) await roundTrip(storage, `/${bucket}/${path}`, path);
      assert.deepEqual((await list(storage, bucket)).keys.sort(), paths.toSorted());
      (await storage.get(`/${bucket}/b`)).fails(404, 'NoSuchKey');
      (await storage.get(`/${bucket}/a/b`)).fails(404, 'NoSuchKey');
    },
  },
  {
    id: 'keys-spellings',
    name: 'all percent-encoded spellings of a key are the same object, decoded exactly once',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const spellings: readonly (readonly [string, readonly string[]])[] = [
        ['..', ['..', '%2e%2e', '%2E.', '.%2e']],
        ['a/b', ['a/b', 'a%2Fb', 'a%2fb', '%61/b', '%61%2F%62']],
        ['a+b', ['a+b', 'a%2Bb', 'a%2bb']],
        ['%2F', ['%252F', '%25%32%46']],
        ['é', ['%C3%A9', '%c3%a9', '%C3%a9']],
        ['a b', ['a%20b']],
        ['?#', ['%3F%23', '%3f%23']],
        ["~!*()'", ["~!*()'", '%7E%21%2A%28%29%27']],
      ];
      for (const [key, paths] of spellings) {
        for (const written of paths) {
          const text = `${key} as ${written}`;
          (await storage.put(`/${bucket}/${written}`, text)).is(200);
          for (const read of [...paths, pathOf(bucket, key).slice(bucket.length + 2)]) {
            assert.equal((await storage.get(`/${bucket}/${read}`)).is(200).text, text, read);
          }
        }
      }
      const keys = (await list(storage, bucket)).keys;
      assert.deepEqual(keys.sort(), spellings.map(([key]) => key).sort());
    },
  },
  {
    id: 'keys-unreadable',
    name: 'a path that is not percent-encoded UTF-8 is 400 InvalidURI for every method',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const key of UNREADABLE) {
        for (const method of ['PUT', 'GET', 'DELETE']) {
          (await storage.send({ method, path: `/${bucket}/${key}` })).fails(400, 'InvalidURI');
        }
        (await storage.head(`/${bucket}/${key}`)).failsBare(400);
      }
      assert.deepEqual((await list(storage, bucket)).keys, []);
    },
  },
  {
    id: 'keys-length',
    name: 'a key has at most 1023 bytes of UTF-8; longer, or with NUL, is 400 InvalidObjectName',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const fits = ['x'.repeat(1023), `${'é'.repeat(511)}x`, `${'😀'.repeat(255)}xyz`];
      for (const key of fits) await roundTrip(storage, pathOf(bucket, key), 'long');
      const misfits = ['x'.repeat(1024), 'é'.repeat(512), '😀'.repeat(256), '\0', 'a\0', 'a\0b'];
      for (const key of [...misfits, 'x'.repeat(3000)]) {
        const path = pathOf(bucket, key);
        (await storage.put(path, 'no')).fails(400, 'InvalidObjectName');
        (await storage.get(path)).fails(400, 'InvalidObjectName');
        (await storage.delete(path)).fails(400, 'InvalidObjectName');
        (await storage.head(path)).failsBare(400);
      }
      assert.equal((await list(storage, bucket)).keys.length, fits.length);
      for (const key of fits) (await storage.delete(pathOf(bucket, key))).is(204);
    },
  },
  {
    id: 'keys-case-and-form',
    name: 'upper and lower case, and both forms of é, are different keys',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const key of ['key', 'KEY', 'Key', '\u00e9', 'e\u0301']) {
        await roundTrip(storage, pathOf(bucket, key), key);
      }
      (await storage.delete(pathOf(bucket, 'key'))).is(204);
      (await storage.delete(pathOf(bucket, 'e\u0301'))).is(204);
      const keys = (await list(storage, bucket)).keys;
      assert.deepEqual(keys, ['KEY', 'Key', '\u00e9']);
    },
  },
  {
    id: 'keys-between-buckets',
    name: 'no key reaches into another bucket',
    async prove(storage) {
      const [one, two] = [await storage.newBucket(), await storage.newBucket()];
      (await storage.put(`/${two}/secret`, 'secret')).is(200);
      for (const up of ['..', '%2e%2e', '..%2f..', 'a/../..', '/..', '../b', '%2f..']) {
        (await storage.get(`/${one}/${up}/${two}/secret`)).fails(404, 'NoSuchKey');
        (await storage.put(`/${one}/${up}/${two}/secret`, 'mine')).is(200);
        (await storage.delete(`/${one}/${up}/${two}/secret`)).is(204);
      }
      assert.equal((await storage.get(`/${two}/secret`)).is(200).text, 'secret');
    },
  },
];
