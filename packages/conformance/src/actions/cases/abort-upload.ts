import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { fails } from '../failure.js';
import { absent, bytes, NO_UPLOAD, part, textOf, unauthorizedClients } from '../tools.js';

export const cases: readonly Case[] = [
  {
    id: 'abort-multipart-upload',
    name: 'AbortMultipartUpload returns 204 without a body, and the upload is no longer listed',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const upload = await alice.initiateUpload(bucket, 'key');
      await alice.uploadPart(upload, 1, bytes(70_000));
      await alice.abortUpload(upload);
      assert.deepEqual((await alice.listUploads(bucket)).keys, []);
      await absent(alice, bucket, 'key');
    },
  },
  {
    id: 'abort-ends',
    name: 'after an abort, the upload accepts and lists no parts and cannot be completed',
    async prove({ alice, newBucket }) {
      const upload = await alice.initiateUpload(await newBucket(), 'key');
      const listed = await part(alice, upload, 1, 'x');
      await alice.abortUpload(upload);
      await fails(alice.uploadPart(upload, 1, 'late'), 'NoSuchUpload');
      await fails(alice.listParts(upload), 'NoSuchUpload');
      await fails(alice.completeUpload(upload, [listed]), 'NoSuchUpload');
      await fails(alice.abortUpload(upload), 'NoSuchUpload');
    },
  },
  {
    id: 'abort-leaves-others',
    name: 'an abort affects neither an object with the same key nor other uploads to that key',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'key', 'there');
      const one = await alice.initiateUpload(bucket, 'key');
      const two = await alice.initiateUpload(bucket, 'key');
      await alice.uploadPart(one, 1, 'one');
      const listed = await part(alice, two, 1, 'two');
      await alice.abortUpload(one);
      assert.equal(await textOf(alice, bucket, 'key'), 'there');
      assert.deepEqual((await alice.listParts(two)).numbers, [1]);
      await alice.completeUpload(two, [listed]);
      assert.equal(await textOf(alice, bucket, 'key'), 'two');
    },
  },
  {
    id: 'abort-no-upload',
    name: 'aborting an unknown upload, or one of another key, is 404 NoSuchUpload',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const upload = await alice.initiateUpload(bucket, 'key');
      await alice.putObject(bucket, 'key', 'there');
      const ids = [NO_UPLOAD, '../x', 'a'.repeat(5000), '\0', `${upload.uploadId}\0`, '..'];
      for (const uploadId of ids) {
        await fails(alice.abortUpload({ ...upload, uploadId }), 'NoSuchUpload', uploadId);
      }
      await fails(alice.abortUpload({ ...upload, key: 'other' }), 'NoSuchUpload');
      await alice.listParts(upload);
      assert.equal(await textOf(alice, bucket, 'key'), 'there');
    },
  },
  {
    id: 'abort-empty-id',
    name: 'an abort without an uploadId is 400 InvalidArgument, and deletes nothing',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'key', 'there');
      const upload = { bucket, key: 'key', uploadId: '' };
      await fails(alice.abortUpload(upload), 'InvalidArgument');
      assert.equal(await textOf(alice, bucket, 'key'), 'there');
    },
  },
  {
    id: 'abort-many-parts',
    name: 'aborting an upload with many parts is atomic, and the part numbers can be used again',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const first = await alice.initiateUpload(bucket, 'key');
      for (let number = 1; number <= 40; number++) {
        await alice.uploadPart(first, number, bytes(number));
      }
      await alice.abortUpload(first);
      const second = await alice.initiateUpload(bucket, 'key');
      assert.deepEqual((await alice.listParts(second)).numbers, []);
      await alice.completeUpload(second, [await part(alice, second, 1, 'x')]);
    },
  },
  {
    id: 'abort-access',
    name: 'an abort by another user or an anonymous caller is 403, and the upload continues',
    async prove(context) {
      const { alice } = context;
      const upload = await alice.initiateUpload(await context.newBucket(), 'key');
      await alice.uploadPart(upload, 1, 'x');
      for (const client of unauthorizedClients(context)) {
        await fails(client.abortUpload(upload), 'AccessDenied');
      }
      assert.deepEqual((await alice.listParts(upload)).numbers, [1]);
    },
  },
];
