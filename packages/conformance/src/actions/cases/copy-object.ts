import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { codeOf, fails } from '../failure.js';
import { absent, assertHas, bytes, md5, textOf, unauthorizedClients } from '../tools.js';
import type { StoredHeaders } from '../values.js';
import { cases as kinds } from './copy-kinds.js';
import { cases as onItself } from './copy-onto-itself.js';
import { conditionRows, SOURCE_KEYS } from './sources.js';

const STORED: StoredHeaders = {
  contentType: 'text/plain; charset=utf-8',
  contentEncoding: 'identity',
  contentLanguage: 'de',
  contentDisposition: 'attachment',
  cacheControl: 'private',
  expires: 'Sat, 01 Jan 2050 00:00:00 GMT',
};

export const cases: readonly Case[] = [
  ...kinds,
  ...onItself,
  {
    id: 'copy-object',
    name: 'CopyObject returns ETag and lastModified, and the copy equals the source byte for byte',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const source = { bucket, key: 'source' };
      const other = await newBucket();
      for (const size of [0, 1, 65_536, 65_537, 300_000]) {
        const data = bytes(size);
        await alice.putObject(bucket, 'source', data);
        for (const target of [bucket, other]) {
          const { etag, lastModified } = await alice.copyObject(source, target, 'copy');
          assert.equal(etag, md5(data));
          const found = await alice.getObject(target, 'copy');
          assert.ok(found.body.equals(data));
          assert.equal(found.etag, md5(data));
          assert.equal(Math.trunc(Number(lastModified) / 1000), Number(found.lastModified) / 1000);
          assert.deepEqual(found.digests, (await alice.headObject(bucket, 'source')).digests);
        }
      }
    },
  },
  {
    id: 'copy-default',
    name: 'by default, metadata and headers come from the source; those of the request are ignored',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const source = { bucket, key: 'source' };
      const stored = { ...STORED, metadata: { a: 'source' } };
      await alice.putObject(bucket, 'source', 'x', stored);
      const given = {
        contentType: 'image/png',
        cacheControl: 'no-store',
        metadata: { a: 'request', b: 'request' },
      };
      for (const directive of [undefined, 'copy', 'COPY', 'Copy']) {
        await alice.copyObject(source, bucket, 'copy', { ...given, directive });
        assertHas(await alice.headObject(bucket, 'copy'), stored);
      }
    },
  },
  {
    id: 'copy-replace',
    name: 'with the directive replace, metadata and headers come only from the request',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const source = { bucket, key: 'source' };
      const stored = { ...STORED, metadata: { a: 'source', b: 'source' } };
      await alice.putObject(bucket, 'source', 'x', stored);
      for (const directive of ['replace', 'REPLACE', 'Replace']) {
        const given = { directive, metadata: { B: 'request' } };
        await alice.copyObject(source, bucket, 'copy', given);
        assertHas(await alice.getObject(bucket, 'copy'), {
          text: 'x',
          metadata: { b: 'request' },
          contentType: 'application/octet-stream',
          cacheControl: 'private, max-age=0, no-transform',
        });
      }
      assertHas(await alice.headObject(bucket, 'source'), stored);
    },
  },
  {
    id: 'copy-directive',
    name: 'any other directive is 400 InvalidArgument, and nothing is copied',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const source = { bucket, key: 'source' };
      await alice.putObject(bucket, 'source', 'x');
      for (const directive of ['move', 'copy,replace', 'true', '__proto__']) {
        const copy = alice.copyObject(source, bucket, 'copy', { directive });
        await fails(copy, 'InvalidArgument', directive);
      }
      await absent(alice, bucket, 'copy');
    },
  },
  {
    id: 'copy-storage-class',
    name: 'a copy has the storage class of the request, or else that of its bucket',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const copy = (from: string, to: string, storageClass?: string) =>
        alice.copyObject({ bucket, key: from }, bucket, to, { storageClass });
      await alice.putObject(bucket, 'source', 'x');
      await copy('source', 'cold', 'STANDARD_IA');
      assertHas(await alice.headObject(bucket, 'cold'), { storageClass: 'STANDARD_IA' });
      await copy('cold', 'copy');
      assertHas(await alice.headObject(bucket, 'copy'), { storageClass: 'STANDARD' });
      await fails(copy('source', 'copy', 'none'), 'InvalidArgument');
    },
  },
  {
    id: 'copy-conditions',
    name: 'an object is copied only if the conditions on the source hold; otherwise 412 and no copy',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const source = { bucket, key: 'source' };
      await alice.putObject(bucket, 'source', '0123456789');
      const { met, unmet } = conditionRows(await alice.headObject(bucket, 'source'));
      for (const sourceConditions of unmet) {
        const copy = alice.copyObject(source, bucket, 'copy', { sourceConditions });
        await fails(copy, 'PreconditionFailed', JSON.stringify(sourceConditions));
      }
      await absent(alice, bucket, 'copy');
      for (const sourceConditions of met) {
        const copy = alice.copyObject(source, bucket, 'copy', { sourceConditions });
        assert.equal(await codeOf(copy), 'done', JSON.stringify(sourceConditions));
      }
    },
  },
  {
    id: 'copy-sources',
    name: 'a source may have any key; one that does not exist is NoSuchKey or NoSuchBucket',
    async prove({ alice, newBucket, newName }) {
      const bucket = await newBucket();
      for (const key of SOURCE_KEYS) {
        await alice.putObject(bucket, key, `bytes of ${key}`);
        await alice.copyObject({ bucket, key }, bucket, 'copy');
        assert.equal(await textOf(alice, bucket, 'copy'), `bytes of ${key}`);
      }
      const none = (from: string, key: string, to = bucket) =>
        alice.copyObject({ bucket: from, key }, to, 'copy');
      await fails(none(bucket, 'missing'), 'NoSuchKey');
      await fails(none(bucket, `../${bucket}/plain`), 'NoSuchKey');
      await fails(none(newName(), 'plain'), 'NoSuchBucket');
      await fails(none(bucket, 'plain', newName()), 'NoSuchBucket');
    },
  },
  {
    id: 'copy-foreign-source',
    name: 'the caller needs permission to read the source: another owner’s object is 403',
    async prove({ alice, bob, newBucket }) {
      const [bucket, theirs] = [await newBucket(), await newBucket(bob)];
      await bob.putObject(theirs, 'secret', 'x');
      for (const key of ['secret', 'missing']) {
        await fails(alice.copyObject({ bucket: theirs, key }, bucket, 'copy'), 'AccessDenied', key);
      }
      await absent(alice, bucket, 'copy');
    },
  },
  {
    id: 'copy-access',
    name: 'other users and anonymous callers can copy neither into nor out of a bucket: 403',
    async prove(context) {
      const [bucket, theirs] = [await context.newBucket(), await context.newBucket(context.bob)];
      await context.alice.putObject(bucket, 'source', 'x');
      for (const client of unauthorizedClients(context)) {
        for (const [target, key] of [
          [bucket, 'copy'],
          [bucket, 'source'],
          [theirs, 'copy'],
        ] as const) {
          const copy = client.copyObject({ bucket, key: 'source' }, target, key);
          await fails(copy, 'AccessDenied');
        }
      }
      await absent(context.alice, bucket, 'copy');
    },
  },
];
