import assert from 'node:assert/strict';
import { bytes } from '../../actions/tools.js';
import { pathOf, send } from '../wire/client.js';
import { complete, initiate, MIN_PART, md5, part, upload } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';
import { cases as lists } from './complete-part-lists.js';

export const cases: readonly HttpRule[] = [
  {
    id: 'json-complete-multipart-upload',
    name: 'CompleteMultipartUpload joins the parts and returns bucket, key, eTag and location',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/folder/key`;
      const bodies = [bytes(MIN_PART), bytes(MIN_PART + 1), Buffer.from('tail')];
      const answer = await upload(storage, path, bodies);
      assert.equal(answer.header('content-type'), 'application/json; charset=utf-8');
      assert.deepEqual(answer.json, {
        bucket,
        key: 'folder/key',
        eTag: `-${md5(bodies.map(md5).join(''))}`,
        location: `${storage.server.url}/${bucket}/folder/key`,
      });
      const found = (await storage.get(path)).is(200);
      assert.ok(found.body.equals(Buffer.concat(bodies)));
      assert.equal(found.header('etag'), `"${answer.json.eTag}"`);
      const { contents } = (await storage.get(`/${bucket}`)).is(200).json;
      assert.equal(contents.length, 1);
      assert.equal(contents[0].eTag, answer.json.eTag);
      assert.equal(contents[0].size, 2 * MIN_PART + 5);
      assert.deepEqual((await storage.get(`/${bucket}?uploads`)).json.uploads, []);
    },
  },
  {
    id: 'json-complete-etag',
    name: 'the ETag of several parts is a dash and the MD5 of their ETags, and there is no Content-MD5',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const answer = await upload(storage, path, ['a'.repeat(MIN_PART), 'tail']);
      assert.equal(answer.json.eTag, '-3b09d833ff0d5ead460b03468b6a1fab');
      for (const found of [await storage.get(path), await storage.head(path)]) {
        assert.equal(found.header('etag'), '"-3b09d833ff0d5ead460b03468b6a1fab"');
        assert.equal(found.header('content-md5'), undefined);
        assert.equal(found.header('x-svc-object-type'), undefined);
      }
    },
  },
  {
    id: 'json-complete-etag-single',
    name: 'the ETag of a single part is the MD5 of its data, whatever its number and size',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      for (const data of [Buffer.alloc(0), Buffer.from('x'), Buffer.alloc(1_048_575)]) {
        assert.equal((await upload(storage, path, [data])).json.eTag, md5(data));
        assert.equal((await storage.head(path)).header('etag'), `"${md5(data)}"`);
        assert.ok((await storage.get(path)).is(200).body.equals(data));
      }
      assert.equal(md5(Buffer.alloc(1_048_575)).slice(0, 8), 'e57598cd');
    },
  },
  {
    id: 'complete-location',
    name: 'location is the working URL of the object',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const { origin } = new URL(storage.server.url);
      for (const key of ['a b', 'ключ/1+2?#%', "it's (1)*"]) {
        const { location } = (await upload(storage, pathOf(bucket, key), [key])).json;
        assert.ok(location.startsWith(`${storage.server.url}/${bucket}/`), location);
        const headers = { authorization: 'Bearer alice' };
        const path = location.slice(origin.length);
        assert.equal((await send({ origin, method: 'GET', path, headers })).is(200).text, key);
      }
    },
  },
  {
    id: 'complete-location-host-style',
    name: 'in host style, the host of the location contains the bucket',
    async prove(storage) {
      if (storage.server.bucketUrl === undefined) return;
      const bucket = await storage.newBucket();
      const uploadId = await initiate(storage, `/${bucket}/a%20b`);
      const listed = await part(storage, `/${bucket}/a%20b`, uploadId, 1, 'x');
      const { url, host } = storage.server.bucketUrl(bucket);
      const { origin, pathname } = new URL(url);
      const mount = pathname === '/' ? '' : pathname;
      const answer = await send({
        origin,
        method: 'POST',
        path: `${mount}/a%20b?uploadId=${uploadId}`,
        headers: { authorization: 'Bearer alice', host },
        body: JSON.stringify({ parts: [listed] }),
      });
      assert.equal(answer.is(200).json.location, `http://${host}${mount}/a%20b`);
      assert.equal(answer.json.bucket, bucket);
    },
  },
  {
    id: 'complete-content-type',
    name: 'any Content-Type of the request is accepted, or none, and it does not become that of the object',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      for (const type of ['text/plain', 'application/octet-stream', undefined]) {
        const uploadId = await initiate(storage, path, { 'content-type': 'image/png' });
        const listed = await part(storage, path, uploadId, 1, 'x');
        const headers = type === undefined ? {} : { 'content-type': type };
        (await complete(storage, path, uploadId, [listed], headers)).is(200);
        assert.equal((await storage.head(path)).header('content-type'), 'image/png');
      }
      const untyped = await initiate(storage, path);
      const listed = await part(storage, path, untyped, 1, 'x');
      (await complete(storage, path, untyped, [listed], { 'content-type': 'text/plain' })).is(200);
      const found = (await storage.head(path)).is(200);
      assert.equal(found.header('content-type'), 'application/octet-stream');
    },
  },
  ...lists,
];
