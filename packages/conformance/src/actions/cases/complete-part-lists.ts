import assert from 'node:assert/strict';
import type { Case, CaseContext } from '../case.js';
import { fails } from '../failure.js';
import type { PartName } from '../pages.js';
import { absent, bodyOf, bytes, md5, part, textOf } from '../tools.js';
import type { Body } from '../values.js';

/** Begins an upload of `key`. */
async function begin({ alice, newBucket, traits }: CaseContext) {
  const bucket = await newBucket();
  const upload = await alice.initiateUpload(bucket, 'key');
  const put = (number: number, body: Body) => part(alice, upload, number, body);
  const complete = (parts: readonly PartName[]) => alice.completeUpload(upload, parts);
  /** A rejected list leaves the upload unchanged, and creates no object. */
  const goesOn = async (parts: readonly PartName[]): Promise<void> => {
    await absent(alice, bucket, 'key');
    const { numbers } = await alice.listParts(upload);
    for (const { number } of parts) assert.ok(numbers.includes(number));
    await complete(parts);
  };
  return { alice, bucket, put, complete, goesOn, least: traits.minPartBytes };
}

/** CompleteMultipartUpload: which lists of parts are accepted. */
export const cases: readonly Case[] = [
  {
    id: 'complete-gaps',
    name: 'part numbers may have gaps, from 1 to 10000',
    async prove(context) {
      const { alice, bucket, put, complete, least } = await begin(context);
      const parts = [
        await put(10_000, 'end'),
        await put(7, bytes(least)),
        await put(2, bytes(least + 7)),
      ];
      await complete(parts.toReversed());
      const whole = Buffer.concat([bytes(least + 7), bytes(least), Buffer.from('end')]);
      assert.ok((await bodyOf(alice, bucket, 'key')).equals(whole));
    },
  },
  {
    id: 'complete-order',
    name: 'part numbers that are not strictly ascending are 400 InvalidPartOrder',
    async prove(context) {
      const { put, complete, goesOn, least } = await begin(context);
      const [one, two] = [await put(1, bytes(least)), await put(2, bytes(least))];
      for (const parts of [
        [two, one],
        [one, one],
        [one, two, two],
        [one, two, one],
      ]) {
        await fails(complete(parts), 'InvalidPartOrder');
      }
      await goesOn([one, two]);
    },
  },
  {
    id: 'complete-invalid-part',
    name: 'a part that was never uploaded, or has another ETag, is 400 InvalidPart',
    async prove(context) {
      const { put, complete, goesOn, least } = await begin(context);
      const [one, two] = [await put(1, bytes(least)), await put(2, 'two')];
      const lists = [
        [one, { ...two, number: 3 }],
        [{ ...one, etag: two.etag }, two],
        ...[md5('other'), '', '""', `${two.etag}0`, '*'].map((etag) => [one, { ...two, etag }]),
      ];
      for (const parts of lists) await fails(complete(parts), 'InvalidPart', JSON.stringify(parts));
      await goesOn([one, two]);
    },
  },
  {
    id: 'complete-quoted',
    name: 'ETags in a list may be quoted or unquoted',
    async prove(context) {
      const { put, complete, least } = await begin(context);
      const [one, two] = [await put(1, bytes(least)), await put(2, 'two')];
      await complete([{ ...one, etag: `"${one.etag}"` }, two]);
    },
  },
  {
    id: 'complete-too-small',
    name: 'each part but the last needs the dialect’s minimum size: one byte less is EntityTooSmall',
    async prove(context) {
      const { put, complete, goesOn, least } = await begin(context);
      const small = await put(1, bytes(least - 1));
      const enough = await put(2, bytes(least));
      const last = await put(3, '');
      for (const parts of [
        [small, enough],
        [small, enough, last],
        [small, last],
      ]) {
        await fails(complete(parts), 'EntityTooSmall');
      }
      await goesOn([enough, last]);
    },
  },
  {
    id: 'complete-small-last',
    name: 'the last part, or the only one, may have any size',
    async prove(context) {
      const { alice, bucket, put, complete, least } = await begin(context);
      await complete([await put(4, bytes(least)), await put(9, 'x')]);
      assert.equal((await alice.headObject(bucket, 'key')).size, least + 1);
    },
  },
  {
    id: 'complete-unlisted',
    name: 'uploaded parts that are not listed are deleted',
    async prove(context) {
      const { alice, bucket, put, complete } = await begin(context);
      await put(1, bytes(70_000));
      const two = await put(2, 'two');
      await put(3, bytes(70_000));
      await complete([two]);
      assert.equal(await textOf(alice, bucket, 'key'), 'two');
    },
  },
  {
    id: 'complete-part-number',
    name: 'part numbers outside 1 to 10000, or not whole, are rejected with 400',
    async prove(context) {
      const { traits } = context;
      const { put, complete, goesOn } = await begin(context);
      const one = await put(1, 'x');
      for (const number of [0, 10_001, -1]) {
        await fails(complete([{ ...one, number }]), 'InvalidArgument', `${number}`);
      }
      for (const number of [1.5, 1e300, 2 ** 53]) {
        await fails(complete([{ ...one, number }]), traits.oddPartNumber, `${number}`);
      }
      await goesOn([one]);
    },
  },
];
