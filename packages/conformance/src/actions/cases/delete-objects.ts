import assert from 'node:assert/strict';
import type { Case, CaseContext } from '../case.js';
import { fails } from '../failure.js';
import type { DeleteFailure } from '../pages.js';

/** Creates a bucket with the objects `a` and `b`. */
async function bucketOfTwo({ alice, newBucket }: CaseContext): Promise<string> {
  const bucket = await newBucket();
  for (const key of ['a', 'b']) await alice.putObject(bucket, key, key);
  return bucket;
}

const keysIn = async ({ alice }: CaseContext, bucket: string) =>
  (await alice.listObjects(bucket)).keys;

/** The failures that are returned for keys that do not exist. */
const missing = ({ traits }: CaseContext, ...keys: readonly string[]): DeleteFailure[] =>
  traits.removesAbsentKeys ? [] : keys.map((key) => ({ key, code: 'NoSuchKey' }));

const sorted = (failures: readonly DeleteFailure[]): string[] =>
  failures.map(({ key, code }) => `${key} ${code}`).sort();

export const cases: readonly Case[] = [
  {
    id: 'delete-objects',
    name: 'DeleteMultipleObjects returns no failures if all objects were deleted',
    async prove(context) {
      const bucket = await bucketOfTwo(context);
      assert.deepEqual(await context.alice.deleteObjects(bucket, ['a', 'b']), []);
      assert.deepEqual(await keysIn(context, bucket), []);
    },
  },
  {
    id: 'delete-objects-failures',
    name: 'only failures are returned: a key that does not exist is an entry with NoSuchKey',
    async prove(context) {
      const bucket = await bucketOfTwo(context);
      const failures = await context.alice.deleteObjects(bucket, ['no', 'a', 'nor']);
      assert.deepEqual(sorted(failures), sorted(missing(context, 'no', 'nor')));
      assert.deepEqual(await keysIn(context, bucket), ['b']);
    },
  },
  {
    id: 'delete-objects-duplicates',
    name: 'listing a key twice is not a failure',
    async prove(context) {
      const bucket = await bucketOfTwo(context);
      assert.deepEqual(await context.alice.deleteObjects(bucket, ['a', 'a', 'a']), []);
      const failures = await context.alice.deleteObjects(bucket, ['a', 'a']);
      assert.deepEqual(failures, missing(context, 'a'));
    },
  },
  {
    id: 'delete-objects-limit',
    name: 'a request may list 1,000 objects; more are rejected, and nothing is deleted',
    async prove(context) {
      const bucket = await bucketOfTwo(context);
      const keys = Array.from({ length: 999 }, (_, at) => `no-${at}`);
      const failures = await context.alice.deleteObjects(bucket, ['a', ...keys]);
      assert.deepEqual(sorted(failures), sorted(missing(context, ...keys)));
      const { tooManyKeys } = context.traits;
      await fails(context.alice.deleteObjects(bucket, ['b', 'c', ...keys]), tooManyKeys);
      assert.deepEqual(await keysIn(context, bucket), ['b']);
    },
  },
  {
    id: 'delete-objects-odd-keys',
    name: 'keys of any kind are deleted as they are; an invalid one is a separate failure',
    async prove(context) {
      const bucket = await bucketOfTwo(context);
      const odd = ['a/../b', '//', 'é', 'e\u0301', '__proto__', '%2e', ' ', 'a b+c?d#e'];
      await context.fill(bucket, odd);
      const impossible = ['', 'a\0', 'x'.repeat(context.traits.maxKeyBytes + 1)];
      const failures = await context.alice.deleteObjects(bucket, [...odd, ...impossible]);
      const expected = impossible.map((key): DeleteFailure => ({ key, code: 'InvalidObjectName' }));
      assert.deepEqual(sorted(failures), sorted(expected));
      assert.deepEqual(await keysIn(context, bucket), ['a', 'b']);
    },
  },
];
