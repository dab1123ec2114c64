import assert from 'node:assert/strict';
import type { Case, CaseContext } from '../case.js';
import { fails } from '../failure.js';
import { assertHas, bytes, digestsOf, md5, textOf } from '../tools.js';
import type { StoredHeaders, Written } from '../values.js';

const STORED: StoredHeaders = {
  contentType: 'text/plain; charset=utf-8',
  contentEncoding: 'identity',
  contentLanguage: 'de',
  contentDisposition: 'attachment; filename="a b.txt"',
  cacheControl: 'private, max-age=60',
  expires: 'Sat, 01 Jan 2050 00:00:00 GMT',
};

/** Asserts that a result has the ETag of the data, and no wrong digests. */
export function assertWritten(
  { traits }: CaseContext,
  written: Written,
  data: string | Uint8Array,
): void {
  const digests = digestsOf(data);
  assert.equal(written.etag, digests.md5);
  for (const name of traits.returnedDigests) assert.equal(written.digests[name], digests[name]);
}

export const cases: readonly Case[] = [
  {
    id: 'put-object',
    name: 'PutObject returns the ETag of the data, with the digests of the dialect',
    async prove(context) {
      const bucket = await context.newBucket();
      const written = await context.alice.putObject(bucket, 'hello', '123456789');
      assert.equal(written.etag, '25f9e794323b453885f5181f1b624d0b');
      assertWritten(context, written, '123456789');
    },
  },
  {
    id: 'put-object-empty',
    name: 'an object may have 0 bytes',
    async prove(context) {
      const { alice } = context;
      const bucket = await context.newBucket();
      const written = await alice.putObject(bucket, 'empty', '');
      assert.equal(written.etag, 'd41d8cd98f00b204e9800998ecf8427e');
      assertWritten(context, written, '');
      const found = await alice.getObject(bucket, 'empty');
      assert.deepEqual([found.size, found.body.length], [0, 0]);
    },
  },
  {
    id: 'put-object-sizes',
    name: 'objects of any size are returned byte for byte, around 64 KiB and at 5 MiB',
    async prove(context) {
      const { alice } = context;
      const bucket = await context.newBucket();
      for (const size of [1, 65_535, 65_536, 65_537, 5 * 1024 * 1024]) {
        const data = bytes(size);
        assertWritten(context, await alice.putObject(bucket, `${size}`, data), data);
        const found = await alice.getObject(bucket, `${size}`);
        assert.equal(found.size, size);
        assert.ok(found.body.equals(data), `${size} bytes`);
      }
    },
  },
  {
    id: 'put-object-chunked',
    name: 'a chunked body needs no Content-Length',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (const parts of [[], [bytes(10)], [bytes(70_000), bytes(1), bytes(90_000)]]) {
        const data = Buffer.concat(parts);
        await alice.putObject(bucket, 'chunked', parts);
        const found = await alice.getObject(bucket, 'chunked');
        assert.ok(found.body.equals(data));
        assert.equal(found.size, data.length);
      }
    },
  },
  {
    id: 'put-object-headers',
    name: 'GetObject and GetObjectMeta return the headers of PutObject',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'key', 'x', STORED);
      for (const found of [
        await alice.getObject(bucket, 'key'),
        await alice.headObject(bucket, 'key'),
      ]) {
        assertHas(found, STORED);
      }
    },
  },
  {
    id: 'put-object-default-type',
    name: 'without a Content-Type, an object is application/octet-stream',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'key.html', '<p>');
      const found = await alice.getObject(bucket, 'key.html');
      assert.equal(found.contentType, 'application/octet-stream');
      const { contentEncoding, contentDisposition, expires } = found;
      assert.deepEqual(
        { contentEncoding, contentDisposition, expires },
        {
          contentEncoding: undefined,
          contentDisposition: undefined,
          expires: undefined,
        },
      );
    },
  },
  {
    id: 'put-object-replaces',
    name: 'PutObject replaces the whole object: data, headers and metadata',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const first = { ...STORED, metadata: { a: '1' }, storageClass: 'STANDARD_IA' };
      await alice.putObject(bucket, 'key', bytes(70_000), first);
      await alice.putObject(bucket, 'key', 'short', { metadata: { b: '2' } });
      const found = await alice.getObject(bucket, 'key');
      assert.equal(found.text, 'short');
      assert.equal(found.contentType, 'application/octet-stream');
      assert.equal(found.cacheControl, 'private, max-age=0, no-transform');
      assert.deepEqual(found.metadata, { b: '2' });
      assert.equal(found.storageClass, 'STANDARD');
      const { objects } = await alice.listObjects(bucket);
      assert.deepEqual(
        objects.map(({ size }) => size),
        [5],
      );
    },
  },
  {
    id: 'put-object-storage-class',
    name: 'a storage class must be one of the dialect’s; any other is InvalidArgument',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      for (const storageClass of traits.storageClasses) {
        await alice.putObject(bucket, 'key', storageClass, { storageClass });
        assert.equal((await alice.headObject(bucket, 'key')).storageClass, storageClass);
      }
      for (const storageClass of ['none', '__proto__', 'constructor']) {
        const put = alice.putObject(bucket, 'key', 'no', { storageClass });
        await fails(put, 'InvalidArgument', storageClass);
      }
      assert.equal(await textOf(alice, bucket, 'key'), traits.storageClasses.at(-1));
    },
  },
  {
    id: 'put-object-race',
    name: 'concurrent PutObject requests for one key all succeed, and one of them remains complete',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const bodies = Array.from({ length: 6 }, (_, at) => Buffer.alloc(66_000 + at, 65 + at));
      const all = await Promise.all(bodies.map((body) => alice.putObject(bucket, 'key', body)));
      const found = await alice.getObject(bucket, 'key');
      assert.ok(bodies.some((body) => body.equals(found.body)));
      assert.equal(found.etag, md5(found.body));
      assert.ok(all.some(({ etag }) => etag === found.etag));
    },
  },
];
