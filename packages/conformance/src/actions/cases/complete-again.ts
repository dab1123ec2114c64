import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { codeOf, Failure, fails, outcome } from '../failure.js';
import { absent, bytes, NO_UPLOAD, part, textOf, uploadObject } from '../tools.js';

/** CompleteMultipartUpload: uploads that have ended or never existed. */
export const cases: readonly Case[] = [
  {
    id: 'complete-replay',
    name: 'a repeated Complete with the same list gets the same response; with another, NoSuchUpload',
    async prove({ alice, newBucket, traits }) {
      const upload = await alice.initiateUpload(await newBucket(), 'key');
      const one = await part(alice, upload, 1, bytes(traits.minPartBytes));
      const two = await part(alice, upload, 2, 'two');
      const first = await alice.completeUpload(upload, [one, two]);
      const quoted = [one, two].map((item) => ({ ...item, etag: `"${item.etag}"` }));
      for (const list of [[one, two], quoted]) {
        assert.deepEqual(await alice.completeUpload(upload, list), first);
      }
      for (const list of [[one], [two], [{ ...one, etag: two.etag }, two]]) {
        await fails(alice.completeUpload(upload, list), 'NoSuchUpload');
      }
    },
  },
  {
    id: 'complete-replay-changed',
    name: 'once the object is replaced, renamed or deleted, a repeated Complete is NoSuchUpload',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      const changes: (() => Promise<unknown>)[] = [
        () => alice.putObject(bucket, 'key', 'newer'),
        () => alice.deleteObject(bucket, 'key'),
        () => uploadObject(alice, bucket, 'key', ['x']),
      ];
      if (traits.offers.has('rename')) {
        changes.push(() => alice.renameObject(bucket, 'key', 'other'));
      }
      const state = async () => {
        const found = await outcome(alice.getObject(bucket, 'key'));
        return found instanceof Failure ? found.code : found.etag;
      };
      for (const change of changes) {
        const upload = await alice.initiateUpload(bucket, 'key');
        const listed = await part(alice, upload, 1, 'x');
        await alice.completeUpload(upload, [listed]);
        await change();
        const before = await state();
        await fails(alice.completeUpload(upload, [listed]), 'NoSuchUpload');
        assert.equal(await state(), before);
      }
    },
  },
  {
    id: 'complete-ended',
    name: 'after Complete, the upload accepts and lists no parts and cannot be aborted',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const upload = await alice.initiateUpload(bucket, 'key');
      await alice.completeUpload(upload, [await part(alice, upload, 1, 'x')]);
      await fails(alice.uploadPart(upload, 2, 'late'), 'NoSuchUpload');
      await fails(alice.listParts(upload), 'NoSuchUpload');
      await fails(alice.abortUpload(upload), 'NoSuchUpload');
      assert.equal(await textOf(alice, bucket, 'key'), 'x');
    },
  },
  {
    id: 'complete-no-upload',
    name: 'completing an unknown upload, or one of another key, is 404 NoSuchUpload',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const upload = await alice.initiateUpload(bucket, 'key');
      const listed = await part(alice, upload, 1, 'x');
      const complete = (name: object) => alice.completeUpload({ ...upload, ...name }, [listed]);
      for (const uploadId of [NO_UPLOAD, '../x', 'a'.repeat(5000), '\0', `${upload.uploadId}\0`]) {
        await fails(complete({ uploadId }), 'NoSuchUpload', uploadId);
      }
      await fails(complete({ key: 'other' }), 'NoSuchUpload');
      await fails(complete({ uploadId: '' }), 'InvalidArgument');
      assert.equal(await codeOf(complete({})), 'done');
      await fails(complete({ key: 'other' }), 'NoSuchUpload');
      await absent(alice, bucket, 'other');
    },
  },
];
