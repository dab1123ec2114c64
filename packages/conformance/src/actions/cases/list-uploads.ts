import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import type { DialectClient } from '../client.js';
import { codeOf, fails } from '../failure.js';
import type { UploadListOptions } from '../pages.js';
import { byBytes, inTurns, unauthorizedClients } from '../tools.js';

/** Joins all pages of a listing. */
async function pages(
  client: DialectClient,
  bucket: string,
  maxUploads: number,
  more: UploadListOptions = {},
) {
  const names: string[] = [];
  for (let next: UploadListOptions = {}; ; ) {
    const { uploads, prefixes, ...page } = await client.listUploads(bucket, {
      ...more,
      ...next,
      maxUploads,
    });
    names.push(...uploads.map(({ key, uploadId }) => `${key} ${uploadId}`), ...prefixes);
    assert.ok(uploads.length + prefixes.length <= maxUploads);
    if (!page.truncated) {
      assert.equal(page.nextKeyMarker, undefined);
      return names;
    }
    const size = uploads.length + prefixes.length;
    assert.equal(size, maxUploads, 'a page that is not the last is full');
    next = { keyMarker: page.nextKeyMarker, uploadIdMarker: page.nextUploadIdMarker };
  }
}

async function begin(client: DialectClient, bucket: string, keys: readonly string[]) {
  const names: string[] = [];
  for (const key of keys) {
    names.push(`${key} ${(await client.initiateUpload(bucket, key)).uploadId}`);
  }
  return names;
}

export const cases: readonly Case[] = [
  {
    id: 'list-uploads',
    name: 'ListMultipartUploads returns every field of the interface with the right type',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const storageClass = 'STANDARD_IA';
      const { uploadId } = await alice.initiateUpload(bucket, 'key', { storageClass });
      const { uploads, ...rest } = await alice.listUploads(bucket);
      assert.deepEqual(rest, {
        ...{ bucket, prefix: '', delimiter: undefined, keyMarker: '', maxUploads: 1000 },
        ...{ truncated: false, nextKeyMarker: undefined, nextUploadIdMarker: undefined },
        ...{ keys: ['key'], prefixes: [] },
      });
      const found = uploads.map(({ initiated, ...upload }) => {
        assert.ok(Math.abs(Number(initiated) - Date.now()) < 600_000, 'times are UTC');
        return upload;
      });
      const owner = { id: 'u-alice', displayName: 'Alice' };
      assert.deepEqual(found, [{ key: 'key', uploadId, owner, storageClass }]);
    },
  },
  {
    id: 'list-uploads-echo',
    name: 'the response repeats prefix, delimiter, keyMarker and maxUploads',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await begin(alice, bucket, ['a/ö 1', 'a/ö 2']);
      const query = { prefix: 'a/ö ', delimiter: '/', keyMarker: 'a/ö 1', maxUploads: 7 };
      const page = await alice.listUploads(bucket, query);
      const { prefix, delimiter, keyMarker, maxUploads } = page;
      assert.deepEqual({ prefix, delimiter, keyMarker, maxUploads }, query);
      assert.deepEqual(page.keys, ['a/ö 2']);
    },
  },
  {
    id: 'list-uploads-order',
    name: 'uploads are listed by key in UTF-8 order, and those of one key by start time',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const keys = ['b', '\uffff', 'a', '😀', 'a/', 'é', 'A', 'a', 'a0', 'b', 'a', 'a\u0001'];
      const names = await begin(alice, bucket, keys);
      const { keys: found, uploads } = await alice.listUploads(bucket);
      assert.deepEqual(found, keys.toSorted(byBytes));
      const starts = uploads
        .filter(({ key }) => key === 'a')
        .map(({ initiated }) => initiated.getTime());
      assert.deepEqual(
        starts,
        starts.toSorted((a, b) => a - b),
      );
      assert.equal(starts.length, 3);
      assert.deepEqual((await pages(alice, bucket, 1000)).toSorted(), names.toSorted());
    },
  },
  {
    id: 'list-uploads-unfinished',
    name: 'only this bucket’s uploads that are neither completed nor aborted are listed',
    async prove({ alice, newBucket }) {
      const [bucket, other] = [await newBucket(), await newBucket()];
      const stays = await alice.initiateUpload(bucket, 'key');
      const ends = await alice.initiateUpload(bucket, 'key');
      await alice.initiateUpload(other, 'key');
      await alice.abortUpload(ends);
      const { uploads } = await alice.listUploads(bucket);
      assert.deepEqual(
        uploads.map(({ uploadId }) => uploadId),
        [stays.uploadId],
      );
    },
  },
  {
    id: 'list-uploads-prefix',
    name: 'with a prefix, only keys that start with it are listed',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await begin(alice, bucket, ['a', 'aa', 'ab', 'a/b', 'b', 'ba', 'é1']);
      const keys = async (prefix: string) => (await alice.listUploads(bucket, { prefix })).keys;
      assert.equal((await keys('a')).length, 4);
      assert.deepEqual(await keys('aa'), ['aa']);
      assert.deepEqual(await keys('é'), ['é1']);
      for (const prefix of ['c', 'a/b/', 'A', 'a\0', 'k'.repeat(1024)]) {
        assert.deepEqual(await keys(prefix), [], prefix);
      }
    },
  },
  {
    id: 'list-uploads-delimiter',
    name: 'with a delimiter, keys that are equal up to it form one commonPrefixes entry',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await begin(alice, bucket, ['a/1', 'a/2', 'a/2', 'a/b/3', 'b', 'c/', 'd/1']);
      const list = async (options: UploadListOptions) => {
        const { keys, prefixes } = await alice.listUploads(bucket, { delimiter: '/', ...options });
        return [keys, prefixes];
      };
      assert.deepEqual(await list({}), [['b'], ['a/', 'c/', 'd/']]);
      assert.deepEqual(await list({ prefix: 'a/' }), [['a/1', 'a/2', 'a/2'], ['a/b/']]);
      assert.deepEqual(await list({ keyMarker: 'a/' }), [['b'], ['c/', 'd/']]);
      const [keys, prefixes] = await list({ delimiter: '?' });
      assert.deepEqual([keys?.length, prefixes], [7, []]);
    },
  },
  {
    id: 'list-uploads-marker',
    name: 'with only a keyMarker, the listing begins after all uploads of that key',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await begin(alice, bucket, ['a', 'a', 'a\u0001', 'a0', 'b', 'b']);
      const after = async (keyMarker: string) =>
        (await alice.listUploads(bucket, { keyMarker })).keys;
      assert.deepEqual(await after('a'), ['a\u0001', 'a0', 'b', 'b']);
      assert.deepEqual(await after('0'), ['a', 'a', 'a\u0001', 'a0', 'b', 'b']);
      assert.deepEqual(await after('a/'), ['a0', 'b', 'b']);
      assert.deepEqual(await after('b'), []);
      assert.deepEqual(await after('\u{10ffff}'), []);
    },
  },
  {
    id: 'list-uploads-max',
    name: 'maxUploads may be 0; above 1000, it is treated as 1000',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await begin(alice, bucket, ['a', 'b']);
      const none = await alice.listUploads(bucket, { maxUploads: 0 });
      assert.deepEqual([none.keys, none.maxUploads, none.truncated], [[], 0, false]);
      const most = await alice.listUploads(bucket, { maxUploads: 2000 });
      assert.deepEqual([most.keys, most.maxUploads], [['a', 'b'], 1000]);
      await fails(alice.listUploads(bucket, { maxUploads: -1 }), 'InvalidArgument');
    },
  },
  {
    id: 'list-uploads-pages',
    name: 'pages of any size contain each upload once, with and without a delimiter',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const keys = ['a', 'a', 'a', 'a/1', 'a/1', 'a/2', 'b/1', 'b/1', 'c', '😀', '😀/1', '\uffff'];
      const names = await begin(alice, bucket, keys);
      for (const size of [1, 2, 3, 5, 12]) {
        const found = await pages(alice, bucket, size);
        assert.deepEqual(found.toSorted(), names.toSorted());
        const cut = await pages(alice, bucket, size, { delimiter: '/' });
        const flat = names.filter((name) => !name.includes('/'));
        assert.deepEqual(cut.toSorted(), [...flat, 'a/', 'b/', '😀/'].toSorted());
        const below = await pages(alice, bucket, size, { prefix: 'a/' });
        const expected = names.filter((name) => name.startsWith('a/'));
        assert.deepEqual(below.toSorted(), expected.toSorted());
      }
    },
  },
  {
    id: 'list-uploads-many-of-one-key',
    name: 'the pages of more than 1,000 uploads of one key contain all of them',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const names: string[] = [];
      await inTurns(1005, 16, async () => names.push(...(await begin(alice, bucket, ['key']))));
      names.push(...(await begin(alice, bucket, ['after', 'zero'])));
      const first = await alice.listUploads(bucket);
      assert.deepEqual([first.uploads.length, first.truncated], [1000, true]);
      assert.equal(first.nextKeyMarker, 'key');
      for (const size of [1000, 300]) {
        assert.deepEqual((await pages(alice, bucket, size)).toSorted(), names.toSorted());
      }
    },
  },
  {
    id: 'list-uploads-hostile-markers',
    name: 'a marker may be any text, or is rejected with InvalidArgument',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.initiateUpload(bucket, 'key');
      const [long, last] = ['m'.repeat(1023), '\u{10ffff}'];
      for (const uploadIdMarker of ['../', '\0', last, long, 'm'.repeat(5000)]) {
        for (const keyMarker of ['key', long, '\0', last.repeat(255)]) {
          const code = await codeOf(alice.listUploads(bucket, { keyMarker, uploadIdMarker }));
          assert.ok(code === 'done' || code === 'InvalidArgument', code);
        }
      }
    },
  },
  {
    id: 'list-uploads-refused',
    name: 'a missing bucket is NoSuchBucket; other users and anonymous callers get 403',
    async prove(context) {
      await fails(context.alice.listUploads(context.newName()), 'NoSuchBucket');
      const bucket = await context.newBucket();
      for (const client of unauthorizedClients(context)) {
        await fails(client.listUploads(bucket), 'AccessDenied');
      }
    },
  },
];
