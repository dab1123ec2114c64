import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { fails } from '../failure.js';
import type { PartName } from '../pages.js';
import {
  absent,
  assertHas,
  bodyOf,
  bytes,
  digestsOf,
  md5,
  part,
  textOf,
  unauthorizedClients,
  uploadObject,
} from '../tools.js';
import { cases as again } from './complete-again.js';
import { cases as lists } from './complete-part-lists.js';

export const cases: readonly Case[] = [
  ...lists,
  ...again,
  {
    id: 'complete-multipart-upload',
    name: 'CompleteMultipartUpload joins the parts and returns bucket, key, ETag and location',
    async prove({ alice, newBucket, traits }) {
      const [bucket, key] = [await newBucket(), 'folder/key'];
      const least = traits.minPartBytes;
      const bodies = [bytes(least), bytes(least + 1), Buffer.from('tail')];
      const { location, ...completed } = await uploadObject(alice, bucket, key, bodies);
      const etag = traits.completedEtag(bodies.map(md5));
      assert.deepEqual(completed, { bucket, key, etag });
      assert.ok(location.endsWith(`/${key}`), location);
      const found = await alice.getObject(bucket, key);
      assert.ok(found.body.equals(Buffer.concat(bodies)));
      assert.equal(found.etag, etag);
      const { objects } = await alice.listObjects(bucket);
      const listed = objects.map((object) => [object.etag, object.size]);
      assert.deepEqual(listed, [[etag, 2 * least + 5]]);
      assert.deepEqual((await alice.listUploads(bucket)).keys, []);
    },
  },
  {
    id: 'complete-etag',
    name: 'the ETag of several parts is derived from their ETags, and there is no MD5 of the data',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      const bodies = ['a'.repeat(traits.minPartBytes), 'tail'];
      const { etag } = await uploadObject(alice, bucket, 'key', bodies);
      assert.equal(etag, traits.completedEtag(bodies.map(md5)));
      for (const found of [
        await alice.getObject(bucket, 'key'),
        await alice.headObject(bucket, 'key'),
      ]) {
        assertHas(found, { etag, appendOffset: undefined });
        assert.equal(found.digests.md5, undefined);
      }
    },
  },
  {
    id: 'complete-etag-single',
    name: 'the ETag of a single part is derived from its own, whatever its number and size',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      for (const data of [Buffer.alloc(0), Buffer.from('x'), Buffer.alloc(1_048_575)]) {
        const upload = await alice.initiateUpload(bucket, 'key');
        const listed = await part(alice, upload, data.length === 1 ? 10_000 : 1, data);
        const etag = traits.completedEtag([md5(data)]);
        assert.equal((await alice.completeUpload(upload, [listed])).etag, etag);
        assert.equal((await alice.headObject(bucket, 'key')).etag, etag);
        assert.ok((await bodyOf(alice, bucket, 'key')).equals(data));
      }
    },
  },
  {
    id: 'complete-crc32',
    name: 'the CRC-32 of all data is compared before the upload becomes an object, and stored',
    needs: ['digests'],
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      const bodies = [bytes(traits.minPartBytes), bytes(traits.minPartBytes + 1), bytes(11)];
      const upload = await alice.initiateUpload(bucket, 'key');
      const listed: PartName[] = [];
      for (const body of bodies) {
        listed.push(await part(alice, upload, 2 * listed.length + 1, body));
      }
      const { crc32 } = digestsOf(Buffer.concat(bodies));
      const complete = (digests: { crc32: string }) =>
        alice.completeUpload(upload, listed, { digests });
      await fails(complete({ crc32: '1' }), 'BadDigest');
      await absent(alice, bucket, 'key');
      const completed = await complete({ crc32 });
      // A client that has lost the response repeats the request.
      assert.deepEqual(await complete({ crc32 }), completed);
      await fails(complete({ crc32: '1' }), 'BadDigest');
      await alice.copyObject({ bucket, key: 'key' }, bucket, 'copy');
      for (const key of ['key', 'copy']) {
        assert.equal((await alice.headObject(bucket, key)).digests.crc32, crc32);
        assert.equal((await alice.getObject(bucket, key)).digests.crc32, crc32);
      }
    },
  },
  {
    id: 'complete-metadata',
    name: 'the metadata of Complete is added to that of Initiate',
    needs: ['metadata-at-completion'],
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const upload = await alice.initiateUpload(bucket, 'key', { metadata: { a: '1', b: '1' } });
      const listed = await part(alice, upload, 1, 'x');
      await alice.completeUpload(upload, [listed], { metadata: { B: '2', c: '2' } });
      const expected = { metadata: { a: '1', b: '2', c: '2' } };
      assertHas(await alice.headObject(bucket, 'key'), expected);
    },
  },
  {
    id: 'complete-metadata-limit',
    name: 'the metadata of Initiate and Complete together may have 2 KB, as for any object',
    needs: ['metadata-at-completion'],
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const metadata = { a: 'a'.repeat(1500) };
      const upload = await alice.initiateUpload(bucket, 'key', { metadata });
      const listed = await part(alice, upload, 1, 'x');
      const complete = (more: Readonly<Record<string, string>>) =>
        alice.completeUpload(upload, [listed], { metadata: more });
      await fails(complete({ b: 'b'.repeat(1500) }), 'MetadataTooLarge');
      await complete({ a: 'b'.repeat(1500) });
    },
  },
  {
    id: 'complete-if-none-match',
    name: 'with If-None-Match: *, Complete may create an object, but replacing one is 412',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const upload = await alice.initiateUpload(bucket, 'key');
      const listed = await part(alice, upload, 1, 'upload');
      const create = () =>
        alice.completeUpload(upload, [listed], { conditions: { ifNoneMatch: '*' } });
      await alice.putObject(bucket, 'key', 'there');
      await fails(create(), 'PreconditionFailed');
      assert.equal(await textOf(alice, bucket, 'key'), 'there');
      assert.deepEqual((await alice.listParts(upload)).numbers, [1]);
      await alice.deleteObject(bucket, 'key');
      await create();
      assert.equal(await textOf(alice, bucket, 'key'), 'upload');
      await create();
    },
  },
  {
    id: 'complete-access',
    name: 'Complete by another user or an anonymous caller is 403, and the upload continues',
    async prove(context) {
      const { alice } = context;
      const bucket = await context.newBucket();
      const upload = await alice.initiateUpload(bucket, 'key');
      const listed = await part(alice, upload, 1, 'x');
      const byUnauthorized = async () => {
        for (const client of unauthorizedClients(context)) {
          await fails(client.completeUpload(upload, [listed]), 'AccessDenied');
        }
      };
      await byUnauthorized();
      await absent(alice, bucket, 'key');
      await alice.completeUpload(upload, [listed]);
      await byUnauthorized(); // Neither does a repeated Complete reveal anything.
    },
  },
];
