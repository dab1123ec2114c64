import assert from 'node:assert/strict';
import { pathOf, type StorageClient } from '../wire/client.js';
import { abort, initiate, inTurns, TIME } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';
import { cases as refused } from './list-uploads-refused.js';

type Parameters = Readonly<Record<string, string | number>>;

interface ListedUpload {
  readonly key: string;
  readonly uploadId: string;
}

async function list(storage: StorageClient, bucket: string, parameters: Parameters = {}) {
  const pairs = Object.entries(parameters);
  const query = pairs.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join('');
  const { json } = (await storage.get(`/${bucket}?uploads${query}`)).is(200);
  const uploads: readonly ListedUpload[] = json.uploads;
  const found: readonly { prefix: string }[] = json.commonPrefixes ?? [];
  const prefixes = found.map(({ prefix }) => prefix);
  return { json, uploads, keys: uploads.map(({ key }) => key), prefixes };
}

/** All pages of a listing as one. */
async function pages(storage: StorageClient, bucket: string, size: number, more: Parameters = {}) {
  const names: string[] = [];
  for (let next: Parameters = {}; ; ) {
    const query = { ...more, ...next, maxUploads: size };
    const { json, uploads, prefixes } = await list(storage, bucket, query);
    names.push(...uploads.map(({ key, uploadId }) => `${key} ${uploadId}`), ...prefixes);
    assert.ok(uploads.length + prefixes.length <= size);
    if (!json.isTruncated) {
      assert.equal(json.nextKeyMarker, undefined);
      return names;
    }
    assert.equal(uploads.length + prefixes.length, size, 'a page that is not the last is full');
    next = { keyMarker: json.nextKeyMarker };
    if (json.nextUploadIdMarker !== undefined) {
      next = { ...next, uploadIdMarker: json.nextUploadIdMarker };
    }
  }
}

async function begin(storage: StorageClient, bucket: string, keys: readonly string[]) {
  const names: string[] = [];
  for (const key of keys) names.push(`${key} ${await initiate(storage, pathOf(bucket, key))}`);
  return names;
}

export const cases: readonly HttpRule[] = [
  {
    id: 'list-uploads',
    name: 'ListMultipartUploads answers every field of the interface, each of its type',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const uploadId = await initiate(storage, `/${bucket}/key`, { 'x-svc-storage-class': 'COLD' });
      for (const flag of ['?uploads', '?uploads=']) {
        const answer = (await storage.get(`/${bucket}${flag}`)).is(200);
        assert.equal(answer.header('content-type'), 'application/json; charset=utf-8');
        const { uploads, ...rest } = answer.json;
        assert.deepEqual(rest, {
          bucket,
          prefix: '',
          keyMarker: '',
          maxUploads: 1000,
          isTruncated: false,
        });
        const [{ initiated, ...upload }] = uploads;
        assert.match(initiated, TIME);
        assert.deepEqual(upload, {
          key: 'key',
          uploadId,
          owner: { id: 'u-alice', displayName: 'Alice' },
          storageClass: 'COLD',
        });
      }
    },
  },
  {
    id: 'list-uploads-echo',
    name: 'prefix, delimiter, keyMarker and maxUploads are echoed',
    async prove(storage) {
      const bucket = await storage.newBucket();
      await begin(storage, bucket, ['a/ö 1', 'a/ö 2']);
      const query = { prefix: 'a/ö ', delimiter: '/', keyMarker: 'a/ö 1', maxUploads: 7 };
      const { json, keys } = await list(storage, bucket, query);
      const { prefix, delimiter, keyMarker, maxUploads } = json;
      assert.deepEqual({ prefix, delimiter, keyMarker, maxUploads }, query);
      assert.deepEqual(keys, ['a/ö 2']);
    },
  },
  {
    id: 'list-uploads-order',
    name: 'uploads are listed by key in the order of UTF-8, those of one key by their start',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const keys = ['b', '\uffff', 'a', '😀', 'a/', 'é', 'A', 'a', 'a0', 'b', 'a', 'a\u0001'];
      const names = await begin(storage, bucket, keys);
      const { keys: found, json } = await list(storage, bucket);
      const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
      assert.deepEqual(found, keys.toSorted(byBytes));
      const times = json.uploads.filter(({ key }: ListedUpload) => key === 'a');
      const starts = times.map(({ initiated }: { initiated: string }) => initiated);
      assert.deepEqual(starts, starts.toSorted());
      assert.equal(times.length, 3);
      assert.deepEqual((await pages(storage, bucket, 1000)).toSorted(), names.toSorted());
    },
  },
  {
    id: 'list-uploads-unfinished',
    name: 'only uploads that are neither completed nor aborted are listed, of this bucket alone',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const other = await storage.newBucket();
      const [stays, ends] = [
        await initiate(storage, `/${bucket}/key`),
        await initiate(storage, `/${bucket}/key`),
      ];
      await initiate(storage, `/${other}/key`);
      (await abort(storage, `/${bucket}/key`, ends)).is(204);
      const { uploads } = await list(storage, bucket);
      assert.deepEqual(
        uploads.map(({ uploadId }) => uploadId),
        [stays],
      );
    },
  },
  {
    id: 'list-uploads-prefix',
    name: 'with a prefix only keys that start with it are listed',
    async prove(storage) {
      const bucket = await storage.newBucket();
      await begin(storage, bucket, ['a', 'aa', 'ab', 'a/b', 'b', 'ba', 'é1']);
      assert.deepEqual((await list(storage, bucket, { prefix: 'a' })).keys.length, 4);
      assert.deepEqual((await list(storage, bucket, { prefix: 'aa' })).keys, ['aa']);
      assert.deepEqual((await list(storage, bucket, { prefix: 'é' })).keys, ['é1']);
      for (const prefix of ['c', 'a/b/', 'A', 'a\0', 'k'.repeat(1024)]) {
        assert.deepEqual((await list(storage, bucket, { prefix })).keys, [], prefix);
      }
    },
  },
  {
    id: 'list-uploads-delimiter',
    name: 'with a delimiter keys are cut behind it, and each cut is one commonPrefixes entry',
    async prove(storage) {
      const bucket = await storage.newBucket();
      await begin(storage, bucket, ['a/1', 'a/2', 'a/2', 'a/b/3', 'b', 'c/', 'd/1']);
      const whole = await list(storage, bucket, { delimiter: '/' });
      assert.deepEqual([whole.keys, whole.prefixes], [['b'], ['a/', 'c/', 'd/']]);
      const below = await list(storage, bucket, { delimiter: '/', prefix: 'a/' });
      assert.deepEqual([below.keys, below.prefixes], [['a/1', 'a/2', 'a/2'], ['a/b/']]);
      const after = await list(storage, bucket, { delimiter: '/', keyMarker: 'a/' });
      assert.deepEqual([after.keys, after.prefixes], [['b'], ['c/', 'd/']]);
      const none = await list(storage, bucket, { delimiter: '?' });
      assert.equal(none.keys.length, 7);
      assert.equal(none.json.commonPrefixes, undefined);
      const two = await storage.get(`/${bucket}?uploads&delimiter=ab`);
      two.fails(400, 'InvalidArgument');
    },
  },
  {
    id: 'list-uploads-marker',
    name: 'a keyMarker alone begins behind all uploads of that key',
    async prove(storage) {
      const bucket = await storage.newBucket();
      await begin(storage, bucket, ['a', 'a', 'a\u0001', 'a0', 'b', 'b']);
      const after = async (keyMarker: string) => (await list(storage, bucket, { keyMarker })).keys;
      assert.deepEqual(await after('a'), ['a\u0001', 'a0', 'b', 'b']);
      assert.deepEqual(await after('0'), ['a', 'a', 'a\u0001', 'a0', 'b', 'b']);
      assert.deepEqual(await after('a/'), ['a0', 'b', 'b']);
      assert.deepEqual(await after('b'), []);
      assert.deepEqual(await after('\u{10ffff}'), []);
    },
  },
  {
    id: 'list-uploads-max',
    name: 'maxUploads may be 0, more than 1000 is answered with 1000, no number is InvalidArgument',
    async prove(storage) {
      const bucket = await storage.newBucket();
      await begin(storage, bucket, ['a', 'b']);
      const none = await list(storage, bucket, { maxUploads: 0 });
      assert.deepEqual([none.keys, none.json.maxUploads, none.json.isTruncated], [[], 0, false]);
      const most = await list(storage, bucket, { maxUploads: 2000 });
      assert.deepEqual([most.keys, most.json.maxUploads], [['a', 'b'], 1000]);
      for (const value of ['-1', '1e3', '', 'x', '1.5', '0x1']) {
        const answer = await storage.get(`/${bucket}?uploads&maxUploads=${value}`);
        answer.fails(400, 'InvalidArgument');
      }
    },
  },
  {
    id: 'list-uploads-pages',
    name: 'pages of any size add up to all uploads, with and without delimiter, each once',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const keys = ['a', 'a', 'a', 'a/1', 'a/1', 'a/2', 'b/1', 'b/1', 'c', '😀', '😀/1', '\uffff'];
      const names = await begin(storage, bucket, keys);
      for (const size of [1, 2, 3, 5, 12]) {
        const found = await pages(storage, bucket, size);
        assert.deepEqual(found.toSorted(), names.toSorted());
        const cut = await pages(storage, bucket, size, { delimiter: '/' });
        const flat = names.filter((name) => !name.includes('/'));
        assert.deepEqual(cut.toSorted(), [...flat, 'a/', 'b/', '😀/'].toSorted());
        const below = await pages(storage, bucket, size, { prefix: 'a/' });
        assert.deepEqual(
          below.toSorted(),
          names.filter((name) => name.startsWith('a/')).toSorted(),
        );
      }
    },
  },
  {
    id: 'list-uploads-many-of-one-key',
    name: 'more than 1,000 uploads of one key are paged without a loss',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      const names: string[] = [];
      await inTurns(1005, 16, async () => names.push(`key ${await initiate(storage, path)}`));
      names.push(...(await begin(storage, bucket, ['after', 'zero'])));
      const first = await list(storage, bucket);
      assert.deepEqual([first.uploads.length, first.json.isTruncated], [1000, true]);
      assert.equal(first.json.nextKeyMarker, 'key');
      for (const size of [1000, 300]) {
        assert.deepEqual((await pages(storage, bucket, size)).toSorted(), names.toSorted());
      }
    },
  },
  ...refused,
];
