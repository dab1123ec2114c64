import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { fails } from '../failure.js';
import type { CorsRule } from '../settings.js';
import { BOB, EVERYBODY, grant, unauthorizedClients } from '../tools.js';

const RULE: CorsRule = { allowedOrigins: ['https://app.example'], allowedMethods: ['GET'] };

const FULL: CorsRule = {
  allowedOrigins: ['https://*.example', 'http://localhost:3000', 'null'],
  allowedMethods: ['GET', 'PUT', 'DELETE', 'POST', 'HEAD'],
  allowedHeaders: ['x-svc-*', 'Authorization', '*'],
  exposedHeaders: ['ETag', 'x-svc-request-id'],
  maxAgeSeconds: 3600,
};

export const cases: readonly Case[] = [
  {
    id: 'cors-put',
    name: 'GetBucketCors returns the rules as PutBucketCors set them',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (const rules of [[RULE], [FULL, RULE], [{ ...RULE, maxAgeSeconds: 0 }]]) {
        await alice.putCors(bucket, rules);
        assert.deepEqual(await alice.getCors(bucket), rules);
      }
    },
  },
  {
    id: 'cors-none',
    name: 'without rules, GetBucketCors is 404 NoSuchCORSConfiguration and DeleteBucketCors is 204',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await fails(alice.getCors(bucket), 'NoSuchCORSConfiguration');
      await alice.deleteCors(bucket);
      await alice.putCors(bucket, [RULE]);
      for (let round = 0; round < 2; round++) {
        await alice.deleteCors(bucket);
        await fails(alice.getCors(bucket), 'NoSuchCORSConfiguration');
      }
    },
  },
  {
    id: 'cors-no-bucket',
    name: 'the rules of a bucket that does not exist are 404 NoSuchBucket',
    async prove({ alice, newName }) {
      const bucket = newName();
      await fails(alice.putCors(bucket, [RULE]), 'NoSuchBucket');
      await fails(alice.getCors(bucket), 'NoSuchBucket');
      await fails(alice.deleteCors(bucket), 'NoSuchBucket');
    },
  },
  {
    id: 'cors-ends',
    name: 'the rules are deleted with their bucket',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putCors(bucket, [RULE]);
      await alice.deleteBucket(bucket);
      await alice.createBucket(bucket);
      await fails(alice.getCors(bucket), 'NoSuchCORSConfiguration');
    },
  },
  {
    id: 'cors-too-many',
    name: 'a bucket may have 100 rules; 101 are rejected, and the old rules stay',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      const rules = Array.from({ length: 101 }, (_, at) => ({
        allowedOrigins: [`https://${at}.example`],
        allowedMethods: ['GET'],
      }));
      await alice.putCors(bucket, rules.slice(1));
      await fails(alice.putCors(bucket, rules), traits.invalidRules);
      assert.deepEqual(await alice.getCors(bucket), rules.slice(1));
    },
  },
  {
    id: 'cors-access',
    name: 'PutBucketCors without FULL_CONTROL is 403 AccessDenied',
    async prove(context) {
      const { alice, bob } = context;
      const bucket = await context.newBucket();
      await alice.putCors(bucket, [RULE]);
      await alice.putBucketAcl(bucket, [grant(EVERYBODY, 'READ', 'WRITE')]);
      for (const client of unauthorizedClients(context)) {
        await fails(client.putCors(bucket, [FULL]), 'AccessDenied');
        await fails(client.deleteCors(bucket), 'AccessDenied');
      }
      assert.deepEqual(await alice.getCors(bucket), [RULE]);
      await alice.putBucketAcl(bucket, [grant(BOB, 'FULL_CONTROL')]);
      await bob.putCors(bucket, [FULL]);
      assert.deepEqual(await alice.getCors(bucket), [FULL]);
    },
  },
];
