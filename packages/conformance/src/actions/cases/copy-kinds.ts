import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { fails } from '../failure.js';
import { assertHas, bodyOf, bytes, md5, textOf, uploadObject } from '../tools.js';

/** CopyObject: objects of every kind as source and target. */
export const cases: readonly Case[] = [
  {
    id: 'copy-multipart',
    name: 'a source made of several parts is copied with its ETag, and still has no Content-MD5',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      const bodies = Array.from({ length: 70 }, (_, at) =>
        Buffer.alloc(traits.minPartBytes + at, at),
      );
      const { etag } = await uploadObject(alice, bucket, 'source', bodies);
      const copied = await alice.copyObject({ bucket, key: 'source' }, bucket, 'copy');
      await alice.deleteObject(bucket, 'source');
      const found = await alice.getObject(bucket, 'copy');
      assert.ok(found.body.equals(Buffer.concat(bodies)));
      assert.deepEqual([copied.etag, found.etag], [etag, etag]);
      assert.equal(found.digests.md5, undefined);
    },
  },
  {
    id: 'copy-appendable',
    name: 'a copy of an appendable object is a normal object, which later appends do not affect',
    needs: ['append'],
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const first = Buffer.alloc(70_000, 'a');
      const metadata = { a: '1' };
      await alice.appendObject(bucket, 'log', first, undefined, { metadata });
      await alice.copyObject({ bucket, key: 'log' }, bucket, 'copy');
      await alice.appendObject(bucket, 'log', 'more', first.length);
      const found = await alice.getObject(bucket, 'copy');
      assert.ok(found.body.equals(first));
      assertHas(found, { etag: md5(first), metadata, appendOffset: undefined });
      const append = alice.appendObject(bucket, 'copy', 'x', first.length);
      await fails(append, 'ObjectUnappendable');
      const whole = Buffer.concat([first, Buffer.from('more')]);
      assert.ok((await bodyOf(alice, bucket, 'log')).equals(whole));
    },
  },
  {
    id: 'copy-independent',
    name: 'source and copy are independent: replacing or deleting one leaves the other unchanged',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const data = bytes(100_000);
      await alice.putObject(bucket, 'a', data);
      await alice.copyObject({ bucket, key: 'a' }, bucket, 'b');
      await alice.copyObject({ bucket, key: 'b' }, bucket, 'c');
      await alice.deleteObject(bucket, 'a');
      await alice.putObject(bucket, 'b', 'replaced');
      assert.ok((await bodyOf(alice, bucket, 'c')).equals(data));
    },
  },
  {
    id: 'copy-overwrites',
    name: 'a copy replaces an existing object; a copy that fails leaves it unchanged',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'source', bytes(70_000));
      if (traits.offers.has('append')) await alice.appendObject(bucket, 'copy', 'old');
      else await alice.putObject(bucket, 'copy', 'old');
      const copy = (key: string) => alice.copyObject({ bucket, key }, bucket, 'copy');
      await fails(copy('missing'), 'NoSuchKey');
      assert.equal(await textOf(alice, bucket, 'copy'), 'old');
      await copy('source');
      const found = await alice.getObject(bucket, 'copy');
      assert.ok(found.body.equals(bytes(70_000)));
      assert.equal(found.appendOffset, undefined);
    },
  },
];
