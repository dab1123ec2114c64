import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { codeOf, fails } from '../failure.js';
import type { PartName } from '../pages.js';
import { md5, NO_UPLOAD, unauthorizedClients } from '../tools.js';
import { conditionRows, SOURCE_KEYS } from './sources.js';

const GB = 1024 ** 3;

/** UploadPartCopy: sources, conditions and rejected copies. */
export const cases: readonly Case[] = [
  {
    id: 'upload-part-copy-conditions',
    name: 'a part is copied only if the conditions on the source hold; otherwise 412 and no part',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const source = { bucket, key: 'source' };
      await alice.putObject(bucket, 'source', '0123456789');
      const upload = await alice.initiateUpload(bucket, 'target');
      const { met, unmet } = conditionRows(await alice.headObject(bucket, 'source'));
      for (const sourceConditions of unmet) {
        const copy = alice.copyPart(source, upload, 1, { sourceConditions });
        await fails(copy, 'PreconditionFailed', JSON.stringify(sourceConditions));
      }
      assert.deepEqual((await alice.listParts(upload)).numbers, []);
      for (const sourceConditions of met) {
        const copy = alice.copyPart(source, upload, 1, { sourceConditions });
        assert.equal(await codeOf(copy), 'done', JSON.stringify(sourceConditions));
      }
    },
  },
  {
    id: 'upload-part-copy-any-source',
    name: 'the source of a part may have any key; one that does not exist is NoSuchKey or NoSuchBucket',
    async prove({ alice, newBucket, newName }) {
      const bucket = await newBucket();
      const upload = await alice.initiateUpload(bucket, 'target');
      for (const key of SOURCE_KEYS) {
        await alice.putObject(bucket, key, `bytes of ${key}`);
        const { etag } = await alice.copyPart({ bucket, key }, upload, 1);
        assert.equal(etag, md5(`bytes of ${key}`));
      }
      await fails(alice.copyPart({ bucket, key: 'missing' }, upload, 1), 'NoSuchKey');
      const nowhere = { bucket: newName(), key: 'plain' };
      await fails(alice.copyPart(nowhere, upload, 1), 'NoSuchBucket');
    },
  },
  {
    id: 'upload-part-copy-foreign-source',
    name: 'a part cannot be copied from an object of another owner: 403 AccessDenied',
    async prove({ alice, bob, newBucket }) {
      const [bucket, theirs] = [await newBucket(), await newBucket(bob)];
      await bob.putObject(theirs, 'secret', 'x');
      const upload = await alice.initiateUpload(bucket, 'target');
      for (const key of ['secret', 'missing']) {
        await fails(alice.copyPart({ bucket: theirs, key }, upload, 1), 'AccessDenied', key);
      }
    },
  },
  {
    id: 'copy-too-large',
    name: 'a source of more than 5 GB is 400 EntityTooLarge for one copy, but can be copied in ranges',
    needs: ['open-part-ranges'],
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const size = GB / 16;
      await alice.putObject(bucket, 'block', Buffer.alloc(size));
      const upload = await alice.initiateUpload(bucket, 'large');
      const parts: PartName[] = [];
      for (let number = 1; number <= 81; number++) {
        const { etag } = await alice.copyPart({ bucket, key: 'block' }, upload, number);
        parts.push({ number, etag });
      }
      await alice.completeUpload(upload, parts);
      assert.equal((await alice.headObject(bucket, 'large')).size, 81 * size);
      const source = { bucket, key: 'large' };
      await fails(alice.copyObject(source, bucket, 'copy'), 'EntityTooLarge');
      const next = await alice.initiateUpload(bucket, 'copy');
      await fails(alice.copyPart(source, next, 1), 'EntityTooLarge');
      for (const range of [`bytes=0-${80 * size}`, `bytes=-${80 * size + 1}`, 'bytes=0-']) {
        await fails(alice.copyPart(source, next, 1, { range }), 'EntityTooLarge', range);
      }
      await alice.copyPart(source, next, 1, { range: 'bytes=-10' });
      const range = `bytes=${70 * size - 5}-${70 * size + 4}`;
      assert.equal((await alice.getObject(bucket, 'large', { range })).body.length, 10);
    },
  },
  {
    id: 'upload-part-copy-no-upload',
    name: 'UploadPartCopy into an unknown upload, or one of another key, is 404 NoSuchUpload',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const source = { bucket, key: 'source' };
      await alice.putObject(bucket, 'source', 'x');
      const upload = await alice.initiateUpload(bucket, 'target');
      for (const uploadId of [NO_UPLOAD, '../x', 'a'.repeat(5000), '\0']) {
        await fails(alice.copyPart(source, { ...upload, uploadId }, 1), 'NoSuchUpload', uploadId);
      }
      await fails(alice.copyPart(source, { ...upload, key: 'other' }, 1), 'NoSuchUpload');
    },
  },
  {
    id: 'upload-part-copy-access',
    name: 'UploadPartCopy into a bucket of another user is 403, and stores no part',
    async prove(context) {
      const bucket = await context.newBucket();
      const upload = await context.alice.initiateUpload(bucket, 'target');
      await context.alice.putObject(bucket, 'source', 'x');
      for (const client of unauthorizedClients(context)) {
        await fails(client.copyPart({ bucket, key: 'source' }, upload, 1), 'AccessDenied');
      }
      assert.deepEqual((await context.alice.listParts(upload)).numbers, []);
    },
  },
];
