import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { fails } from '../failure.js';
import { inTurns, md5, NO_UPLOAD, part, unauthorizedClients } from '../tools.js';

export const cases: readonly Case[] = [
  {
    id: 'list-parts',
    name: 'ListParts returns every field of the interface with the right type',
    async prove({ alice, newBucket }) {
      const [bucket, key] = [await newBucket(), 'folder/schlüssel'];
      const storageClass = 'STANDARD_IA';
      const upload = await alice.initiateUpload(bucket, key, { storageClass });
      await alice.uploadPart(upload, 1, 'one');
      await alice.uploadPart(upload, 20, 'twenty');
      const { initiated, parts, owner, ...rest } = await alice.listParts(upload);
      assert.deepEqual(rest, {
        ...{ bucket, key, uploadId: upload.uploadId, storageClass, marker: 0, nextMarker: 20 },
        ...{ maxParts: 1000, truncated: false, numbers: [1, 20] },
      });
      assert.ok(owner.id && owner.displayName);
      const found = parts.map(({ lastModified, ...others }) => {
        assert.ok(initiated === undefined || lastModified >= initiated);
        return others;
      });
      assert.deepEqual(found, [
        { number: 1, etag: md5('one'), size: 3 },
        { number: 20, etag: md5('twenty'), size: 6 },
      ]);
      const [{ lastModified: time = 0 } = {}] = parts;
      assert.ok(Math.abs(Number(initiated ?? time) - Date.now()) < 600_000, 'times are UTC');
    },
  },
  {
    id: 'list-parts-empty',
    name: 'an upload without parts has an empty list',
    async prove({ alice, newBucket }) {
      const page = await alice.listParts(await alice.initiateUpload(await newBucket(), 'key'));
      assert.deepEqual([page.parts, page.truncated, page.nextMarker], [[], false, 0]);
      assert.equal(page.storageClass, 'STANDARD');
    },
  },
  {
    id: 'list-parts-order',
    name: 'parts are listed in ascending order of their numbers, whatever the order of upload',
    async prove({ alice, newBucket }) {
      const upload = await alice.initiateUpload(await newBucket(), 'key');
      const numbers = [10_000, 2, 999, 1, 100, 9, 10, 1000, 9999];
      for (const number of numbers) await alice.uploadPart(upload, number, `${number}`);
      const sorted = numbers.toSorted((a, b) => a - b);
      assert.deepEqual((await alice.listParts(upload)).numbers, sorted);
    },
  },
  {
    id: 'list-parts-pages',
    name: 'pages together contain all parts, each page beginning after the marker',
    async prove({ alice, newBucket }) {
      const upload = await alice.initiateUpload(await newBucket(), 'key');
      const numbers = [1, 3, 4, 7, 50, 9999, 10_000];
      for (const number of numbers) await alice.uploadPart(upload, number, 'x');
      for (const maxParts of [1, 2, 3, 7]) {
        const found: number[] = [];
        for (let marker = 0, more = true; more; ) {
          const page = await alice.listParts(upload, { maxParts, marker });
          assert.deepEqual([page.marker, page.maxParts], [marker, maxParts]);
          assert.equal(page.nextMarker, page.numbers.at(-1));
          found.push(...page.numbers);
          more = page.truncated;
          assert.equal(more, found.length < numbers.length);
          marker = page.nextMarker;
        }
        assert.deepEqual(found, numbers);
      }
    },
  },
  {
    id: 'list-parts-marker',
    name: 'the marker need not be the number of a part, and may be after the last one',
    async prove({ alice, newBucket }) {
      const upload = await alice.initiateUpload(await newBucket(), 'key');
      for (const number of [2, 5]) await alice.uploadPart(upload, number, 'x');
      const after = async (marker: number) => (await alice.listParts(upload, { marker })).numbers;
      assert.deepEqual(await after(0), [2, 5]);
      assert.deepEqual(await after(1), [2, 5]);
      assert.deepEqual(await after(3), [5]);
      for (const end of [5, 10_000, 10_001, 99_999, 100_000, 9_007_199_254_740_991]) {
        assert.deepEqual(await after(end), [], `${end}`);
      }
    },
  },
  {
    id: 'list-parts-max-zero',
    name: 'maxParts may be 0; above 1000, it is treated as 1000',
    async prove({ alice, newBucket }) {
      const upload = await alice.initiateUpload(await newBucket(), 'key');
      await alice.uploadPart(upload, 1, 'x');
      const none = await alice.listParts(upload, { maxParts: 0 });
      assert.deepEqual([none.numbers, none.maxParts, none.truncated], [[], 0, false]);
      for (const maxParts of [1001, 2000, 4_294_967_296]) {
        const page = await alice.listParts(upload, { maxParts });
        assert.deepEqual([page.maxParts, page.numbers], [1000, [1]]);
      }
    },
  },
  {
    id: 'list-parts-thousand',
    name: 'without maxParts, 1,000 parts are listed, and the marker leads to the rest',
    async prove({ alice, newBucket }) {
      const upload = await alice.initiateUpload(await newBucket(), 'key');
      await inTurns(1003, 16, (at) => alice.uploadPart(upload, at + 1, 'x'));
      const first = await alice.listParts(upload);
      assert.equal(first.numbers.length, 1000);
      assert.deepEqual([first.truncated, first.nextMarker], [true, 1000]);
      const rest = await alice.listParts(upload, { marker: 1000 });
      assert.deepEqual([rest.numbers, rest.truncated], [[1001, 1002, 1003], false]);
    },
  },
  {
    id: 'list-parts-no-upload',
    name: 'ListParts of an unknown, completed or aborted upload, or of one of another key, is NoSuchUpload',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const begin = () => alice.initiateUpload(bucket, 'key');
      const [done, gone, open] = [await begin(), await begin(), await begin()];
      const listed = await part(alice, done, 1, 'x');
      await alice.uploadPart(gone, 1, 'x');
      await alice.completeUpload(done, [listed]);
      await alice.abortUpload(gone);
      const ids = [NO_UPLOAD, done.uploadId, gone.uploadId, '../x', 'a'.repeat(5000), '\0'];
      for (const uploadId of [...ids, `${open.uploadId}/00001`]) {
        await fails(alice.listParts({ ...open, uploadId }), 'NoSuchUpload', uploadId);
      }
      await fails(alice.listParts({ ...open, key: 'other' }), 'NoSuchUpload');
      await fails(alice.listParts({ ...open, uploadId: '' }), 'InvalidArgument');
    },
  },
  {
    id: 'list-parts-access',
    name: 'ListParts by another user or an anonymous caller is 403',
    async prove(context) {
      const upload = await context.alice.initiateUpload(await context.newBucket(), 'key');
      for (const client of unauthorizedClients(context)) {
        for (const uploadId of [upload.uploadId, NO_UPLOAD]) {
          await fails(client.listParts({ ...upload, uploadId }), 'AccessDenied');
        }
      }
    },
  },
];
