import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { fails } from '../failure.js';
import { absent, assertHas, part, textOf, unauthorizedClients } from '../tools.js';
import type { StoredHeaders } from '../values.js';

const STORED: StoredHeaders = {
  contentType: 'video/mp4',
  contentEncoding: 'identity',
  contentLanguage: 'de',
  contentDisposition: 'attachment; filename="a b.mp4"',
  cacheControl: 'private, max-age=60',
  expires: 'Sat, 01 Jan 2050 00:00:00 GMT',
};

export const cases: readonly Case[] = [
  {
    id: 'initiate-multipart-upload',
    name: 'InitiateMultipartUpload returns bucket, key and uploadId',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (const key of ['folder/key', 'ключ 1+2']) {
        const { uploadId, ...name } = await alice.initiateUpload(bucket, key);
        assert.deepEqual(name, { bucket, key });
        assert.ok(uploadId);
      }
    },
  },
  {
    id: 'initiate-listed',
    name: 'an initiated upload is listed, and the object does not exist yet',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const { uploadId } = await alice.initiateUpload(bucket, 'key');
      const { uploads } = await alice.listUploads(bucket);
      assert.deepEqual(
        uploads.map((item) => item.uploadId),
        [uploadId],
      );
      await absent(alice, bucket, 'key');
      assert.deepEqual((await alice.listObjects(bucket)).keys, []);
    },
  },
  {
    id: 'initiate-leaves-object',
    name: 'an object with the same key stays unchanged until CompleteMultipartUpload',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'key', 'before', { metadata: { a: '1' } });
      const upload = await alice.initiateUpload(bucket, 'key', STORED);
      const listed = await part(alice, upload, 1, 'after');
      assertHas(await alice.getObject(bucket, 'key'), { text: 'before', metadata: { a: '1' } });
      await alice.completeUpload(upload, [listed]);
      assertHas(await alice.getObject(bucket, 'key'), { text: 'after', metadata: {} });
    },
  },
  {
    id: 'initiate-headers',
    name: 'headers, storage class and metadata of InitiateMultipartUpload become those of the object',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const storageClass = 'STANDARD_IA';
      const given = { ...STORED, storageClass, metadata: { One: 'first' } };
      const upload = await alice.initiateUpload(bucket, 'key', given);
      await alice.completeUpload(upload, [await part(alice, upload, 1, 'bytes')]);
      const expected = { ...STORED, storageClass, metadata: { one: 'first' } };
      assertHas(await alice.getObject(bucket, 'key'), expected);
      assertHas(await alice.headObject(bucket, 'key'), expected);
    },
  },
  {
    id: 'initiate-own-ids',
    name: 'one key may have any number of uploads, each with its own id',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const begin = () => alice.initiateUpload(bucket, 'key');
      const uploads = await Promise.all(Array.from({ length: 20 }, begin));
      assert.equal(new Set(uploads.map(({ uploadId }) => uploadId)).size, 20);
      const [first, second] = uploads;
      assert.ok(first && second);
      const one = await part(alice, first, 1, 'one');
      const two = await part(alice, second, 1, 'two');
      await alice.completeUpload(second, [two]);
      assert.equal(await textOf(alice, bucket, 'key'), 'two');
      await alice.completeUpload(first, [one]);
      assert.equal(await textOf(alice, bucket, 'key'), 'one');
    },
  },
  {
    id: 'initiate-no-bucket',
    name: 'InitiateMultipartUpload in a bucket that does not exist is 404 NoSuchBucket',
    async prove({ alice, newName }) {
      await fails(alice.initiateUpload(newName(), 'key'), 'NoSuchBucket');
    },
  },
  {
    id: 'initiate-bad-headers',
    name: 'an invalid storage class, too much metadata or an invalid key begins no upload',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      const begin = (options: object, key = 'key') => alice.initiateUpload(bucket, key, options);
      await fails(begin({ storageClass: 'none' }), 'InvalidArgument');
      await fails(begin({ metadata: { a: 'a'.repeat(2048) } }), 'MetadataTooLarge');
      await fails(begin({}, 'k'.repeat(traits.maxKeyBytes + 1)), 'InvalidObjectName');
      assert.deepEqual((await alice.listUploads(bucket)).keys, []);
    },
  },
  {
    id: 'initiate-longest-key',
    name: 'a key of 1,023 bytes can be uploaded in parts',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (const key of ['k'.repeat(1023), '😀'.repeat(255), '\u{10ffff}', 'a//../b']) {
        const upload = await alice.initiateUpload(bucket, key);
        assert.deepEqual((await alice.listUploads(bucket)).keys, [key]);
        const listed = await part(alice, upload, 10_000, key);
        assert.equal((await alice.completeUpload(upload, [listed])).key, key);
        assert.equal(await textOf(alice, bucket, key), key);
      }
    },
  },
  {
    id: 'initiate-delete-bucket',
    name: 'a bucket with unfinished uploads can be deleted, and the uploads end with it',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const upload = await alice.initiateUpload(bucket, 'key');
      await alice.uploadPart(upload, 1, 'bytes');
      await alice.deleteBucket(bucket);
      await fails(alice.listParts(upload), 'NoSuchBucket');
      await alice.createBucket(bucket);
      await fails(alice.listParts(upload), 'NoSuchUpload');
      assert.deepEqual((await alice.listUploads(bucket)).keys, []);
    },
  },
  {
    id: 'initiate-access',
    name: 'InitiateMultipartUpload by another user or an anonymous caller is 403 and begins no upload',
    async prove(context) {
      const bucket = await context.newBucket();
      for (const client of unauthorizedClients(context)) {
        await fails(client.initiateUpload(bucket, 'key'), 'AccessDenied');
      }
      assert.deepEqual((await context.alice.listUploads(bucket)).keys, []);
    },
  },
];
