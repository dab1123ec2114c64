import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import type { DialectClient } from '../client.js';
import { Failure, fails, outcome } from '../failure.js';
import { textOf, unauthorizedClients } from '../tools.js';
import type { Capability } from '../traits.js';

interface Attempt {
  readonly name: string;
  readonly needs?: readonly Capability[];
  run(client: DialectClient, bucket: string): Promise<unknown>;
}

/** An attempt of every action, on a bucket with the object `key`. */
const ATTEMPTS: readonly Attempt[] = [
  { name: 'HeadBucket', run: (client, bucket) => client.headBucket(bucket) },
  { name: 'DeleteBucket', run: (client, bucket) => client.deleteBucket(bucket) },
  { name: 'GetBucketLocation', run: (client, bucket) => client.bucketLocation(bucket) },
  { name: 'ListObjects', run: (client, bucket) => client.listObjects(bucket) },
  {
    name: 'PutObject over another',
    run: (client, bucket) => client.putObject(bucket, 'key', 'stolen'),
  },
  { name: 'PutObject', run: (client, bucket) => client.putObject(bucket, 'new', 'stolen') },
  { name: 'GetObject', run: (client, bucket) => client.getObject(bucket, 'key') },
  {
    name: 'GetObject with Range',
    run: (client, bucket) => client.getObject(bucket, 'key', { range: 'bytes=0-1' }),
  },
  {
    name: 'GetObject if changed',
    run: (client, bucket) => client.getObject(bucket, 'key', { conditions: { ifNoneMatch: '*' } }),
  },
  {
    name: 'GetObject with override',
    needs: ['overrides'],
    run: (client, bucket) =>
      client.getObject(bucket, 'key', { overrides: { contentType: 'text/html' } }),
  },
  { name: 'GetObject of nothing', run: (client, bucket) => client.getObject(bucket, 'no') },
  { name: 'GetObjectMeta', run: (client, bucket) => client.headObject(bucket, 'key') },
  { name: 'GetObjectMeta of nothing', run: (client, bucket) => client.headObject(bucket, 'no') },
  { name: 'DeleteObject', run: (client, bucket) => client.deleteObject(bucket, 'key') },
  { name: 'DeleteObject of nothing', run: (client, bucket) => client.deleteObject(bucket, 'no') },
];

export const cases: readonly Case[] = [
  ...ATTEMPTS.map(
    ({ name, needs, run }): Case => ({
      id: `access-${name.replaceAll(' ', '-').toLowerCase()}`,
      name: `${name} by another user or an anonymous caller is 403 AccessDenied and changes nothing`,
      needs,
      async prove(context) {
        const { alice } = context;
        const bucket = await context.newBucket();
        await alice.putObject(bucket, 'key', 'mine');
        for (const client of unauthorizedClients(context)) {
          const { http } = await fails(run(client, bucket), 'AccessDenied');
          assert.equal(http.status, 403);
          assert.equal(http.header('etag'), undefined);
        }
        assert.equal(await textOf(alice, bucket, 'key'), 'mine');
        assert.deepEqual((await alice.listObjects(bucket)).keys, ['key']);
      },
    }),
  ),
  {
    id: 'access-delete-objects',
    name: 'DeleteMultipleObjects by another user deletes nothing, and does not reveal what exists',
    async prove(context) {
      const { alice } = context;
      const bucket = await context.newBucket();
      await alice.putObject(bucket, 'key', 'mine');
      for (const client of unauthorizedClients(context)) {
        const answer = await outcome(client.deleteObjects(bucket, ['key', 'no']));
        const codes = answer instanceof Failure ? [answer.code] : answer.map(({ code }) => code);
        assert.ok(codes.length > 0);
        assert.deepEqual(new Set(codes), new Set(['AccessDenied']));
        if (!(answer instanceof Failure)) assert.equal(answer.length, 2);
      }
      assert.equal(await textOf(alice, bucket, 'key'), 'mine');
    },
  },
  {
    id: 'access-before-input',
    name: 'a caller without permission gets 403, whatever else is wrong with the request',
    async prove({ bob, newBucket }) {
      const bucket = await newBucket();
      const options = { digests: { md5: 'a0' }, storageClass: 'no' };
      await fails(bob.putObject(bucket, 'key', '', options), 'AccessDenied');
      await fails(bob.listObjects(bucket, { maxKeys: -1 }), 'AccessDenied');
    },
  },
];
