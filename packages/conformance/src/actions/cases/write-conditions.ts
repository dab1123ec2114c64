import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { Failure, fails, outcome } from '../failure.js';
import { absent, bytes, textOf } from '../tools.js';
import type { Conditions } from '../values.js';

const PAST = 'Sat, 01 Jan 2000 00:00:00 GMT';
const FUTURE = 'Fri, 01 Jan 2100 00:00:00 GMT';
const CREATE = { conditions: { ifNoneMatch: '*' } };

/** A body whose first byte is sent at once, and the others after `go`. */
async function* held(body: Uint8Array, go: Promise<void>): AsyncGenerator<Uint8Array> {
  yield body.subarray(0, 1);
  await go;
  yield body.subarray(1);
}

export const cases: readonly Case[] = [
  {
    id: 'put-if-none-match',
    name: 'with If-None-Match: *, PutObject may create an object, but replacing one is 412',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'key', 'first', CREATE);
      for (const body of ['second', bytes(100_000)]) {
        await fails(alice.putObject(bucket, 'key', body, CREATE), 'PreconditionFailed');
      }
      assert.equal(await textOf(alice, bucket, 'key'), 'first');
    },
  },
  {
    id: 'put-if-none-match-lists',
    name: 'in the If-None-Match of a write, * counts anywhere in a list, and a weak ETag like a strong one',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const { etag } = await alice.putObject(bucket, 'key', 'first');
      for (const ifNoneMatch of ['*, *', '*,', ', *', '*, "x"', '"x",*', `W/"${etag}"`]) {
        const put = alice.putObject(bucket, 'key', 'second', { conditions: { ifNoneMatch } });
        await fails(put, 'PreconditionFailed', ifNoneMatch);
      }
      assert.equal(await textOf(alice, bucket, 'key'), 'first');
    },
  },
  {
    id: 'write-invalid-dates',
    name: 'an invalid date in a condition of a write is rejected, so that it protects the object',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const source = { bucket, key: 'key' };
      await alice.putObject(bucket, 'key', 'first');
      for (const ifUnmodifiedSince of ['2000-01-01T00:00:00Z', PAST.replace('GMT', 'UTC'), '0']) {
        const conditions = { ifUnmodifiedSince };
        const copied = { sourceConditions: conditions };
        const writes = [
          alice.putObject(bucket, 'key', 'second', { conditions }),
          alice.deleteObject(bucket, 'key', { conditions }),
          alice.copyObject(source, bucket, 'copy', copied),
          alice.copyObject(source, bucket, 'copy', {
            sourceConditions: { ifModifiedSince: ifUnmodifiedSince },
          }),
        ];
        for (const write of writes) await fails(write, 'InvalidArgument', ifUnmodifiedSince);
      }
      assert.equal(await textOf(alice, bucket, 'key'), 'first');
      await absent(alice, bucket, 'copy');
    },
  },
  {
    id: 'put-if-none-match-race',
    name: 'of concurrent PutObject requests with If-None-Match: *, exactly one creates the object',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const bodies = Array.from({ length: 8 }, (_, at) =>
        at % 2 === 0 ? Buffer.from(`${at}`.repeat(10)) : Buffer.alloc(70_000, at),
      );
      let letGo = () => {};
      const go = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      const writes = bodies.map((body) =>
        outcome(alice.putObject(bucket, 'key', held(body, go), CREATE)),
      );
      // All begin while there is no object, so the condition must be checked again at the end.
      await fails(alice.getObject(bucket, 'key'), 'NoSuchKey');
      letGo();
      const answers = await Promise.all(writes);
      const won = answers.filter((answer) => !(answer instanceof Failure));
      assert.equal(won.length, 1);
      for (const answer of answers) {
        if (answer instanceof Failure) assert.equal(answer.code, 'PreconditionFailed');
        else assert.equal((await alice.getObject(bucket, 'key')).etag, answer.etag);
      }
    },
  },
  {
    id: 'put-if-match',
    name: 'with If-Match, PutObject replaces only the object that the writer has seen',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const put = (body: string, ifMatch?: string) =>
        alice.putObject(bucket, 'key', body, { conditions: { ifMatch } });
      const seen = `"${(await put('one')).etag}"`;
      await put('two', seen);
      await fails(put('three', seen), 'PreconditionFailed');
      assert.equal(await textOf(alice, bucket, 'key'), 'two');
      await put('four', (await alice.headObject(bucket, 'key')).etag);
      await put('five', '*');
      assert.equal(await textOf(alice, bucket, 'key'), 'five');
    },
  },
  {
    id: 'put-if-match-missing',
    name: 'If-Match on an object that does not exist is rejected and creates nothing',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      for (const ifMatch of ['*', '"d41d8cd98f00b204e9800998ecf8427e"']) {
        const put = alice.putObject(bucket, 'key', '', { conditions: { ifMatch } });
        await fails(put, traits.absentMatch);
      }
      await absent(alice, bucket, 'key');
    },
  },
  {
    id: 'put-if-unmodified-since',
    name: 'with If-Unmodified-Since, PutObject replaces only an object that old, and If-Match takes precedence',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const put = (body: string, conditions: Conditions) =>
        alice.putObject(bucket, 'key', body, { conditions });
      await put('one', { ifUnmodifiedSince: PAST });
      await fails(put('two', { ifUnmodifiedSince: PAST }), 'PreconditionFailed');
      await put('three', { ifUnmodifiedSince: FUTURE });
      await put('four', { ifUnmodifiedSince: PAST, ifMatch: '*' });
      assert.equal(await textOf(alice, bucket, 'key'), 'four');
    },
  },
  {
    id: 'delete-conditions',
    name: 'the conditions of DeleteObject apply to the object that it deletes',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      const etag = `"${(await alice.putObject(bucket, 'key', 'one')).etag}"`;
      const remove = (conditions: Conditions) => alice.deleteObject(bucket, 'key', { conditions });
      for (const conditions of [
        { ifMatch: '"x"' },
        { ifNoneMatch: '*' },
        { ifNoneMatch: etag },
        { ifUnmodifiedSince: PAST },
      ]) {
        await fails(remove(conditions), 'PreconditionFailed', JSON.stringify(conditions));
      }
      await alice.putObject(bucket, 'key', 'two');
      await fails(remove({ ifMatch: etag }), 'PreconditionFailed');
      assert.equal(await textOf(alice, bucket, 'key'), 'two');
      const last = `"${(await alice.headObject(bucket, 'key')).etag}"`;
      await remove({ ifMatch: last, ifUnmodifiedSince: FUTURE });
      if (!traits.removesAbsentKeys) await fails(remove({ ifMatch: last }), 'NoSuchKey');
      await absent(alice, bucket, 'key');
    },
  },
  {
    id: 'rename-conditions',
    name: 'the conditions of RenameObject apply to the object that it replaces',
    needs: ['rename'],
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'old', 'old');
      const etag = `"${(await alice.putObject(bucket, 'new', 'new')).etag}"`;
      const rename = (to: string, conditions: Conditions) =>
        alice.renameObject(bucket, 'old', to, { conditions });
      for (const conditions of [
        { ifNoneMatch: '*' },
        { ifNoneMatch: etag },
        { ifMatch: '"x"' },
        { ifUnmodifiedSince: PAST },
      ]) {
        await fails(rename('new', conditions), 'PreconditionFailed', JSON.stringify(conditions));
      }
      await fails(rename('old', { ifNoneMatch: '*' }), 'PreconditionFailed');
      await fails(rename('free', { ifMatch: '*' }), 'PreconditionFailed');
      assert.equal(await textOf(alice, bucket, 'old'), 'old');
      assert.equal(await textOf(alice, bucket, 'new'), 'new');
      await rename('new', { ifMatch: etag });
      assert.equal(await textOf(alice, bucket, 'new'), 'old');
      await alice.renameObject(bucket, 'new', 'free', CREATE);
      assert.equal(await textOf(alice, bucket, 'free'), 'old');
    },
  },
];
