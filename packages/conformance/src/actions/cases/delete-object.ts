import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { codeOf, fails } from '../failure.js';
import { absent, bytes, textOf } from '../tools.js';

export const cases: readonly Case[] = [
  {
    id: 'delete-object',
    name: 'DeleteObject is 204 without a body, and the object is deleted at once',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (const size of [0, 10, 100_000]) {
        await alice.putObject(bucket, `${size}`, bytes(size));
        await alice.deleteObject(bucket, `${size}`);
        await fails(alice.getObject(bucket, `${size}`), 'NoSuchKey');
        await absent(alice, bucket, `${size}`);
      }
      assert.deepEqual((await alice.listObjects(bucket)).keys, []);
    },
  },
  {
    id: 'delete-object-missing',
    name: 'DeleteObject with a key that does not exist deletes nothing, whether that is an error or not',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'a/b', 'x');
      const expected = traits.removesAbsentKeys ? 'done' : 'NoSuchKey';
      for (const key of ['no', 'a', 'a/', 'a/b/']) {
        assert.equal(await codeOf(alice.deleteObject(bucket, key)), expected, key);
      }
      assert.equal(await textOf(alice, bucket, 'a/b'), 'x');
    },
  },
  {
    id: 'delete-object-race',
    name: 'of concurrent DeleteObject requests for one key, exactly one is 204',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'key', 'x');
      const codes = await Promise.all(
        Array.from({ length: 6 }, () => codeOf(alice.deleteObject(bucket, 'key'))),
      );
      const others = Array.from({ length: 5 }, () => 'NoSuchKey');
      const expected = traits.removesAbsentKeys ? codes.map(() => 'done') : [...others, 'done'];
      assert.deepEqual(codes.toSorted(), expected);
    },
  },
];
