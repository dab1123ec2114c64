import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { fails } from '../failure.js';
import { bytes } from '../tools.js';

const TEN = '0123456789';

const FORMS = [
  ['bytes=0-3', 0, 3],
  ['bytes=4-', 4, 9],
  ['bytes=-4', 6, 9],
  ['bytes=0-0', 0, 0],
  ['bytes=9-9', 9, 9],
  ['bytes=9-', 9, 9],
  ['bytes=-1', 9, 9],
  ['bytes=0-9', 0, 9],
  ['bytes=0-', 0, 9],
  ['BYTES=1-2', 1, 2],
] as const;

const CLAMPED = [
  ['bytes=8-10', 8, 9],
  ['bytes=8-999999', 8, 9],
  ['bytes=0-99999999999999999999999999', 0, 9],
  ['bytes=-10', 0, 9],
  ['bytes=-11', 0, 9],
  ['bytes=-99999999999999999999999999', 0, 9],
] as const;

/** Asserts that each range returns this part of the ten bytes. */
const answersWith =
  (forms: readonly (readonly [string, number, number])[]): Case['prove'] =>
  async ({ alice, newBucket }) => {
    const bucket = await newBucket();
    await alice.putObject(bucket, 'key', TEN);
    for (const [range, first, last] of forms) {
      const found = await alice.getObject(bucket, 'key', { range });
      assert.equal(found.text, TEN.slice(first, last + 1), range);
      assert.deepEqual(found.range, { first, last, of: 10 }, range);
      assert.ok(found.lastModified.getTime() > 0);
    }
  };

export const cases: readonly Case[] = [
  {
    id: 'range-forms',
    name: 'a range is bytes=<first>-<last>, bytes=<first>- or bytes=-<n>, with both ends included: 206',
    prove: answersWith(FORMS),
  },
  {
    id: 'range-clamp',
    name: 'a range that extends beyond the end stops at the end: 206',
    prove: answersWith(CLAMPED),
  },
  {
    id: 'range-unsatisfiable',
    name: 'a range outside the object is 416 InvalidRange with Content-Range: bytes */<size>',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'key', TEN);
      const ranges = ['bytes=10-', 'bytes=10-20', 'bytes=99999999999999999999-', 'bytes=-0'];
      for (const range of [...ranges, 'bytes=5-4', 'bytes=9-0']) {
        const failure = await fails(alice.getObject(bucket, 'key', { range }), 'InvalidRange');
        assert.equal(failure.http.status, 416, range);
        assert.equal(failure.http.header('content-range'), 'bytes */10', range);
        assert.equal(failure.details.size, 10);
      }
    },
  },
  {
    id: 'range-malformed',
    name: 'anything else after bytes= is InvalidRange, including several ranges',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'key', TEN);
      const several = Array.from({ length: 1500 }, (_, at) => `${at}-${at}`).join(',');
      const ranges = ['0-1,3-4', '0-1,', ',0-1', '-', '', 'a-b', '0', '0-1-2', '--1', '+0-1'];
      for (const text of [...ranges, '0x0-0x1', '0-1e1', '0.0-1', '٠-١', ' 0-1', several]) {
        const range = Buffer.from(`bytes=${text}`).toString('latin1');
        const failure = await fails(alice.getObject(bucket, 'key', { range }), 'InvalidRange');
        assert.equal(failure.http.status, 416, text);
      }
    },
  },
  {
    id: 'range-other-unit',
    name: 'a Range of another unit, and an empty one, are ignored: 200 with the whole object',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'key', TEN);
      for (const range of ['items=0-1', 'bytes', 'bytes 0-1', '0-1', '']) {
        const found = await alice.getObject(bucket, 'key', { range });
        assert.deepEqual([found.text, found.range], [TEN, undefined], range);
      }
    },
  },
  {
    id: 'range-empty-object',
    name: 'a Range of an empty object is InvalidRange; an empty Range header is ignored',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'empty', '');
      for (const range of ['bytes=0-0', 'bytes=0-', 'bytes=-1', 'bytes=5-9', 'bytes=-0']) {
        await fails(alice.getObject(bucket, 'empty', { range }), 'InvalidRange', range);
      }
      for (const range of ['', 'items=0-1']) {
        assert.equal((await alice.getObject(bucket, 'empty', { range })).text, '');
      }
    },
  },
  {
    id: 'range-large',
    name: 'ranges of an object of many chunks are correct across every boundary',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const data = bytes(300_000);
      await alice.putObject(bucket, 'key', data);
      const edges = [0, 1, 65_535, 65_536, 65_537, 131_072, 262_143, 299_998, 299_999];
      for (const first of edges) {
        for (const last of edges.filter((edge) => edge >= first)) {
          const range = `bytes=${first}-${last}`;
          const found = await alice.getObject(bucket, 'key', { range });
          assert.deepEqual(found.range, { first, last, of: 300_000 });
          assert.ok(found.body.equals(data.subarray(first, last + 1)), range);
        }
      }
    },
  },
  {
    id: 'range-of-missing',
    name: 'a Range does not hide that the object does not exist',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await fails(alice.getObject(bucket, 'no', { range: 'bytes=0-1' }), 'NoSuchKey');
    },
  },
];
