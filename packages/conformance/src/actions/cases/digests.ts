import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { fails } from '../failure.js';
import { absent, bytes, digestsOf } from '../tools.js';
import type { Digests } from '../values.js';

/** A small and a large body, because a server may process them differently. */
const BODIES = [bytes(100), bytes(200_000)];
const NAMES = ['md5', 'sha256', 'crc32'] as const satisfies readonly (keyof Digests)[];
const NEEDS = ['digests'] as const;

export const cases: readonly Case[] = [
  {
    id: 'digests-right',
    name: 'data with matching digests is stored, for each digest and for all together',
    needs: NEEDS,
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (const body of BODIES) {
        const digests = digestsOf(body);
        await alice.putObject(bucket, 'all', body, { digests });
        for (const name of NAMES) {
          await alice.putObject(bucket, 'one', body, { digests: { [name]: digests[name] } });
          assert.ok((await alice.getObject(bucket, 'one')).body.equals(body));
        }
      }
    },
  },
  {
    id: 'digests-wrong',
    name: 'a digest that does not match is 400 BadDigest, and nothing is stored',
    needs: NEEDS,
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const other = digestsOf('other');
      for (const body of BODIES) {
        for (const name of NAMES) {
          const digests = { ...digestsOf(body), [name]: other[name] };
          await fails(alice.putObject(bucket, 'new', body, { digests }), 'BadDigest', name);
        }
      }
      await absent(alice, bucket, 'new');
      assert.deepEqual((await alice.listObjects(bucket)).keys, []);
    },
  },
  {
    id: 'digests-keep-old',
    name: 'after BadDigest, the existing object is unchanged, including its headers',
    needs: NEEDS,
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const old = bytes(90_000);
      await alice.putObject(bucket, 'key', old, { metadata: { who: 'old' } });
      const { md5 } = digestsOf(old);
      for (const body of BODIES) {
        const wrong = { digests: { md5 }, metadata: { who: 'new' } };
        await fails(alice.putObject(bucket, 'key', body, wrong), 'BadDigest');
      }
      const found = await alice.getObject(bucket, 'key');
      assert.ok(found.body.equals(old));
      assert.deepEqual(found.metadata, { who: 'old' });
    },
  },
  {
    id: 'digests-sent-back',
    name: 'GET and HEAD return the same ETag and digests as PutObject',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      for (const body of BODIES) {
        const put = await alice.putObject(bucket, 'key', body);
        for (const name of traits.returnedDigests) assert.ok(put.digests[name], name);
        for (const found of [
          await alice.getObject(bucket, 'key'),
          await alice.headObject(bucket, 'key'),
        ]) {
          assert.equal(found.etag, put.etag);
          assert.deepEqual(found.digests, put.digests);
        }
      }
    },
  },
];
