import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { fails } from '../failure.js';
import { absent, assertHas, bytes } from '../tools.js';

/** Headers that differ in every response. */
const VOLATILE =
  /^(date|connection|keep-alive|transfer-encoding|x-.*(request|debug)-id|x-amz-id-2)$/;

export const cases: readonly Case[] = [
  {
    id: 'get-object',
    name: 'GetObject returns 200 with the data, its length, ETag, Last-Modified and Accept-Ranges',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'key', 'content', { contentType: 'text/plain' });
      const found = await alice.getObject(bucket, 'key');
      assert.equal(found.text, 'content');
      assert.equal(found.size, 7);
      assert.equal(found.contentType, 'text/plain');
      assert.equal(found.etag, '9a0364b9e99bb480dd25e1f0284c8555');
      assert.ok(Math.abs(found.lastModified.getTime() - Date.now()) < 600_000, 'times are UTC');
      assert.equal(found.http.header('accept-ranges'), 'bytes');
      assert.equal(found.range, undefined);
      assert.equal(found.appendOffset, undefined);
    },
  },
  {
    id: 'get-object-content-type-kept',
    name: 'a Content-Type is returned as it was sent, without additions',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const types = ['text/html', 'application/json', 'text/plain;charset=ISO-8859-1', 'odd'];
      for (const contentType of types) {
        await alice.putObject(bucket, 'key', 'x', { contentType });
        assert.equal((await alice.getObject(bucket, 'key')).contentType, contentType);
        assert.equal((await alice.headObject(bucket, 'key')).contentType, contentType);
      }
    },
  },
  {
    id: 'get-object-missing',
    name: 'a key that does not exist is 404 NoSuchKey, and 404 without a body for HEAD',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'folder/key', 'x');
      for (const key of ['no', 'folder', 'folder/', 'folder/key/', 'folder/ke', 'Folder/key']) {
        await fails(alice.getObject(bucket, key), 'NoSuchKey', key);
        await absent(alice, bucket, key);
      }
    },
  },
  {
    id: 'head-object',
    name: 'GetObjectMeta has the status and headers of GetObject, without a body',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const given = {
        contentType: 'text/plain',
        contentEncoding: 'identity',
        cacheControl: 'no-cache',
        metadata: { a: 'b' },
        storageClass: 'STANDARD_IA',
      };
      for (const size of [0, 10, 70_000]) {
        await alice.putObject(bucket, `${size}`, bytes(size), given);
        const head = await alice.headObject(bucket, `${size}`);
        const get = await alice.getObject(bucket, `${size}`);
        assert.equal(get.body.length, size);
        const headers = ({ http: { rawHeaders } }: typeof head) =>
          rawHeaders
            .flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1]]] : []))
            .filter(([name = '']) => !VOLATILE.test(name))
            .sort();
        assert.deepEqual(headers(head), headers(get));
        assertHas(head, { ...given, size });
      }
    },
  },
  {
    id: 'get-object-length-header',
    name: 'GET and HEAD with Content-Length: 0 get the same responses as those without',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'key', 'x');
      const announcing = alice.with({ headers: { 'content-length': 0 } });
      assert.equal((await announcing.getObject(bucket, 'key')).text, 'x');
      await announcing.headObject(bucket, 'key');
      await announcing.listObjects(bucket);
    },
  },
  {
    id: 'get-object-last-modified',
    name: 'Last-Modified equals the time in listings, and never goes back when an object is replaced',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const time = async () => (await alice.headObject(bucket, 'key')).lastModified;
      await alice.putObject(bucket, 'key', '1');
      const first = await time();
      const { objects } = await alice.listObjects(bucket);
      assert.equal(Math.trunc(Number(objects[0]?.lastModified) / 1000), Number(first) / 1000);
      await alice.putObject(bucket, 'key', '2');
      assert.ok((await time()) >= first);
    },
  },
];
