import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { fails } from '../failure.js';
import {
  absent,
  bytes,
  digestsOf,
  md5,
  NO_UPLOAD,
  part,
  textOf,
  unauthorizedClients,
} from '../tools.js';
import { assertWritten } from './put-object.js';

const DIGESTS = ['md5', 'sha256', 'crc32'] as const;

export const cases: readonly Case[] = [
  {
    id: 'upload-part',
    name: 'UploadPart returns the ETag of the part, with the digests of the dialect',
    async prove(context) {
      const upload = await context.alice.initiateUpload(await context.newBucket(), 'key');
      for (const data of [Buffer.from('123456789'), Buffer.alloc(0), bytes(70_000)]) {
        assertWritten(context, await context.alice.uploadPart(upload, 1, data), data);
      }
    },
  },
  {
    id: 'upload-part-chunked',
    name: 'a part may be sent in chunks',
    async prove({ alice, newBucket }) {
      const upload = await alice.initiateUpload(await newBucket(), 'key');
      const pieces = [bytes(70_000), bytes(1), bytes(90_000)];
      await alice.uploadPart(upload, 7, pieces);
      const [found] = (await alice.listParts(upload)).parts;
      assert.deepEqual([found?.size, found?.etag], [160_001, md5(Buffer.concat(pieces))]);
    },
  },
  {
    id: 'upload-part-number',
    name: 'a part number is a whole number from 1 to 10000; anything else is InvalidArgument',
    async prove({ alice, newBucket }) {
      const upload = await alice.initiateUpload(await newBucket(), 'key');
      for (const number of [1, 10_000]) await alice.uploadPart(upload, number, 'x');
      for (const number of [0, 10_001, -1, 1.5, 99_999_999_999_999]) {
        await fails(alice.uploadPart(upload, number, 'x'), 'InvalidArgument', `${number}`);
      }
      assert.deepEqual((await alice.listParts(upload)).numbers, [1, 10_000]);
    },
  },
  {
    id: 'upload-part-again',
    name: 'a part with the same number replaces the previous one',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      const upload = await alice.initiateUpload(bucket, 'key');
      const former = await part(alice, upload, 3, bytes(traits.minPartBytes));
      const latter = await part(alice, upload, 3, 'latter');
      const { parts, numbers } = await alice.listParts(upload);
      assert.deepEqual(numbers, [3]);
      assert.deepEqual([parts[0]?.etag, parts[0]?.size], [latter.etag, 6]);
      await fails(alice.completeUpload(upload, [former]), 'InvalidPart');
      await alice.completeUpload(upload, [latter]);
      assert.equal(await textOf(alice, bucket, 'key'), 'latter');
    },
  },
  {
    id: 'upload-part-again-race',
    name: 'of concurrent uploads of one part number, one remains complete',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const upload = await alice.initiateUpload(bucket, 'key');
      const bodies = Array.from({ length: 8 }, (_, at) => Buffer.alloc(70_000 + at, 65 + at));
      await Promise.all(bodies.map((body) => alice.uploadPart(upload, 1, body)));
      const [listed, ...more] = (await alice.listParts(upload)).parts;
      assert.ok(listed && more.length === 0);
      await alice.completeUpload(upload, [listed]);
      const { body } = await alice.getObject(bucket, 'key');
      assert.equal(body.length, listed.size);
      assert.ok(bodies.some((one) => one.equals(body)));
    },
  },
  {
    id: 'upload-part-digests',
    name: 'digests sent with a part are verified; a wrong one is BadDigest, and no part is stored',
    needs: ['digests'],
    async prove({ alice, newBucket }) {
      const upload = await alice.initiateUpload(await newBucket(), 'key');
      const data = bytes(70_000);
      const [right, wrong] = [digestsOf(data), digestsOf('other')];
      for (const name of DIGESTS) {
        const digests = { ...right, [name]: wrong[name] };
        await fails(alice.uploadPart(upload, 1, data, { digests }), 'BadDigest', name);
      }
      assert.deepEqual((await alice.listParts(upload)).numbers, []);
      await alice.uploadPart(upload, 1, data, { digests: right });
      await fails(alice.uploadPart(upload, 1, 'x', { digests: wrong }), 'BadDigest');
      assert.equal((await alice.listParts(upload)).parts[0]?.etag, md5(data));
    },
  },
  {
    id: 'upload-part-no-upload',
    name: 'an upload that is unknown, has ended or belongs to another key is 404 NoSuchUpload',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const upload = await alice.initiateUpload(bucket, 'key');
      const ended = await alice.initiateUpload(bucket, 'key');
      await alice.abortUpload(ended);
      const id = upload.uploadId;
      const ids = [NO_UPLOAD, id.toUpperCase(), `${id}0`, id.slice(1), ended.uploadId];
      ids.push('../x', '..', 'a'.repeat(5000), '\0', `${id}\0`, '😀', '*', '/');
      for (const uploadId of ids) {
        if (uploadId === id) continue; // An id of digits only has no upper case.
        await fails(alice.uploadPart({ ...upload, uploadId }, 1, 'x'), 'NoSuchUpload', uploadId);
      }
      for (const key of ['key2', 'ke', 'key/']) {
        await fails(alice.uploadPart({ ...upload, key }, 1, 'x'), 'NoSuchUpload', key);
      }
      const other = { ...upload, bucket: await newBucket() };
      await fails(alice.uploadPart(other, 1, 'x'), 'NoSuchUpload');
      assert.deepEqual((await alice.listParts(upload)).numbers, []);
    },
  },
  {
    id: 'upload-part-access',
    name: 'UploadPart by another user or an anonymous caller is 403 and stores no part',
    async prove(context) {
      const bucket = await context.newBucket();
      const upload = await context.alice.initiateUpload(bucket, 'key');
      for (const client of unauthorizedClients(context)) {
        await fails(client.uploadPart(upload, 1, 'stolen'), 'AccessDenied');
      }
      assert.deepEqual((await context.alice.listParts(upload)).numbers, []);
      await absent(context.alice, bucket, 'key');
    },
  },
];
