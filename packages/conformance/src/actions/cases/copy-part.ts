import assert from 'node:assert/strict';
import type { Case, CaseContext } from '../case.js';
import { codeOf, fails } from '../failure.js';
import type { PartName } from '../pages.js';
import { assertHas, bodyOf, bytes, md5, textOf, uploadObject } from '../tools.js';
import type { ObjectName } from '../values.js';
import { cases as sources } from './copy-part-sources.js';

/** Begins an upload of `target`, to copy objects of the same bucket into its parts. */
async function begin({ alice, newBucket }: CaseContext) {
  const bucket = await newBucket();
  const upload = await alice.initiateUpload(bucket, 'target');
  const source: ObjectName = { bucket, key: 'source' };
  const copyPart = (number: number, range?: string, from = source) =>
    alice.copyPart(from, upload, number, { range });
  const numbers = async () => (await alice.listParts(upload)).numbers;
  return { alice, bucket, upload, source, copyPart, numbers };
}

const FORMS = [
  ['bytes=0-3', '0123'],
  ['bytes=4-', '456789'],
  ['bytes=-4', '6789'],
  ['bytes=9-9', '9'],
  ['bytes=0-', '0123456789'],
  ['bytes=0-9', '0123456789'],
  ['bytes=5-99', '56789'],
  ['bytes=-99', '0123456789'],
] as const;

const BAD_RANGES = [
  ...['bytes=10-', 'bytes=10-12', 'bytes=3-2', 'bytes=-0', 'bytes=-', 'bytes='],
  ...['bytes=0-1,3-4', 'bytes=a-b', '0-3', 'lines=0-3', 'bytes=0-3x', 'bytes=1e0-3'],
];

export const cases: readonly Case[] = [
  ...sources,
  {
    id: 'upload-part-copy',
    name: 'UploadPartCopy fills a part with an object, and returns its ETag and lastModified',
    async prove(context) {
      const { alice, bucket, upload, copyPart } = await begin(context);
      const data = bytes(context.traits.minPartBytes);
      await alice.putObject(bucket, 'source', data);
      const { etag, lastModified } = await copyPart(3);
      assert.equal(etag, md5(data));
      const { parts } = await alice.listParts(upload);
      assert.deepEqual(parts, [{ number: 3, etag, size: data.length, lastModified }]);
      await alice.completeUpload(upload, [{ number: 3, etag }]);
      assert.ok((await bodyOf(alice, bucket, 'target')).equals(data));
    },
  },
  {
    id: 'upload-part-copy-range',
    name: 'of 10 bytes the range 0-3 copies the first four, 4- all from index 4, -4 the last four',
    needs: ['open-part-ranges'],
    async prove(context) {
      const { alice, bucket, upload, copyPart } = await begin(context);
      await alice.putObject(bucket, 'source', '0123456789');
      for (const [range, text] of [...FORMS, [undefined, '0123456789'] as const]) {
        assert.equal((await copyPart(1, range)).etag, md5(text), `${range}`);
        const [found] = (await alice.listParts(upload)).parts;
        assert.equal(found?.size, text.length, `${range}`);
      }
    },
  },
  {
    id: 'upload-part-copy-bad-range',
    name: 'a copy range that is malformed or outside the source is 416 InvalidRange, and no part',
    needs: ['open-part-ranges'],
    async prove(context) {
      const { alice, bucket, copyPart, numbers } = await begin(context);
      await alice.putObject(bucket, 'source', '0123456789');
      for (const range of BAD_RANGES) {
        const { http } = await fails(copyPart(1, range), 'InvalidRange', range);
        assert.equal(http.status, 416, range);
      }
      assert.deepEqual(await numbers(), []);
    },
  },
  {
    id: 'upload-part-copy-zero',
    name: 'an empty source makes an empty part; a range of it is InvalidRange',
    needs: ['open-part-ranges'],
    async prove(context) {
      const { alice, bucket, upload, copyPart } = await begin(context);
      await alice.putObject(bucket, 'source', '');
      const { etag } = await copyPart(1);
      assert.equal(etag, md5(''));
      await fails(copyPart(2, 'bytes=0-'), 'InvalidRange');
      await alice.completeUpload(upload, [{ number: 1, etag }]);
      assert.equal((await bodyOf(alice, bucket, 'target')).length, 0);
    },
  },
  {
    id: 'upload-part-copy-sources',
    name: 'parts may come from different sources of any size and kind, entirely or as ranges',
    async prove(context) {
      const { alice, bucket, upload, copyPart } = await begin(context);
      const { newBucket, traits } = context;
      const least = traits.minPartBytes;
      const other = await newBucket();
      const three = [1, 2, 3].map((at) => Buffer.alloc(least + at, at));
      const [large, many] = [bytes(3 * least), Buffer.concat(three)];
      await alice.putObject(bucket, 'small', '0123456789');
      await alice.putObject(other, 'large', large);
      await uploadObject(alice, bucket, 'many', three);
      const rows = [
        [1, other, 'large', 0, large],
        [2, other, 'large', least - 7, large.subarray(least - 7, 2 * least + 9)],
        [3, bucket, 'many', 0, many],
        [4, bucket, 'many', least - 9, many.subarray(least - 9, 2 * least + 8)],
        [9, bucket, 'small', 0, Buffer.from('0123456789')],
      ] as const;
      const parts: PartName[] = [];
      for (const [number, from, key, first, data] of rows) {
        const range = first === 0 ? undefined : `bytes=${first}-${first + data.length - 1}`;
        const { etag } = await copyPart(number, range, { bucket: from, key });
        assert.equal(etag, md5(data), `part ${number}`);
        parts.push({ number, etag });
      }
      for (const key of ['small', 'many']) await alice.deleteObject(bucket, key);
      await alice.putObject(other, 'large', 'replaced');
      await alice.completeUpload(upload, parts);
      const expected = Buffer.concat(rows.map(([, , , , data]) => data));
      assert.ok((await bodyOf(alice, bucket, 'target')).equals(expected));
    },
  },
  {
    id: 'upload-part-copy-many-segments',
    name: 'a source with more parts than a part may share is copied, entirely and in ranges',
    async prove(context) {
      const { alice, bucket, upload, copyPart } = await begin(context);
      const least = context.traits.minPartBytes;
      const bodies = Array.from({ length: 20 }, (_, at) => Buffer.alloc(least + at, 65 + at));
      const whole = Buffer.concat(bodies);
      await uploadObject(alice, bucket, 'source', bodies);
      const [from, to] = [least / 2, 19 * least];
      const one = await copyPart(1);
      const two = await copyPart(2, `bytes=${from}-${to}`);
      assert.equal(one.etag, md5(whole));
      const parts = [one, two].map(({ etag }, at) => ({ number: at + 1, etag }));
      await alice.completeUpload(upload, parts);
      const expected = Buffer.concat([whole, whole.subarray(from, to + 1)]);
      assert.ok((await bodyOf(alice, bucket, 'target')).equals(expected));
    },
  },
  {
    id: 'upload-part-copy-metadata',
    name: 'metadata and headers of the target are not taken from the source of a part',
    async prove(context) {
      const { alice, bucket, upload, copyPart } = await begin(context);
      const stored = { metadata: { a: 'source' }, contentType: 'image/png' };
      await alice.putObject(bucket, 'source', 'x', stored);
      const { etag } = await copyPart(1);
      await alice.completeUpload(upload, [{ number: 1, etag }]);
      assertHas(await alice.headObject(bucket, 'target'), {
        metadata: {},
        contentType: 'application/octet-stream',
      });
    },
  },
  {
    id: 'upload-part-copy-appendable',
    name: 'UploadPartCopy of an appendable object is 400 NotAllowCopy',
    needs: ['append'],
    async prove(context) {
      const { alice, bucket, copyPart, numbers } = await begin(context);
      await alice.appendObject(bucket, 'source', 'x');
      await fails(copyPart(1), 'NotAllowCopy');
      assert.deepEqual(await numbers(), []);
    },
  },
  {
    id: 'upload-part-copy-number',
    name: 'the part number of a copy is a whole number from 1 to 10000',
    async prove(context) {
      const { alice, bucket, copyPart, numbers } = await begin(context);
      await alice.putObject(bucket, 'source', 'x');
      assert.equal(await codeOf(copyPart(10_000)), 'done');
      for (const number of [0, 10_001, -1, 1.5]) {
        await fails(copyPart(number), 'InvalidArgument', `${number}`);
      }
      assert.deepEqual(await numbers(), [10_000]);
    },
  },
  {
    id: 'upload-part-copy-snapshot',
    name: 'a copied part keeps its data when the source is replaced or deleted',
    async prove(context) {
      const { alice, bucket, upload, copyPart } = await begin(context);
      const data = Buffer.alloc(70_000, 'a');
      await alice.putObject(bucket, 'source', data);
      const { etag } = await copyPart(1);
      await alice.putObject(bucket, 'source', 'b');
      assert.equal(await textOf(alice, bucket, 'source'), 'b');
      await alice.deleteObject(bucket, 'source');
      await alice.completeUpload(upload, [{ number: 1, etag }]);
      assert.ok((await bodyOf(alice, bucket, 'target')).equals(data));
    },
  },
];
