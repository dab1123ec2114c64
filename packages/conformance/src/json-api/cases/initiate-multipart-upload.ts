import assert from 'node:assert/strict';
import { pathOf } from '../wire/client.js';
import { complete, initiate, part, STRANGERS } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';

const STORED = {
  'content-type': 'video/mp4',
  'content-encoding': 'identity',
  'content-language': 'de',
  'content-disposition': 'attachment; filename="a b.mp4"',
  'cache-control': 'private, max-age=60',
  expires: 'Sat, 01 Jan 2050 00:00:00 GMT',
};

export const cases: readonly HttpRule[] = [
  {
    id: 'initiate-multipart-upload',
    name: 'InitiateMultipartUpload answers bucket, key and uploadId',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const [key, flag] of [
        ['folder/key', '?uploads'],
        ['ключ 1+2', '?uploads='],
      ] as const) {
        const path = pathOf(bucket, key) + flag;
        // Some clients name the source here already.
        const headers = { 'x-svc-copy-source': '/some-bucket/key' };
        const answer = (await storage.send({ method: 'POST', path, headers })).is(200);
        assert.equal(answer.header('content-type'), 'application/json; charset=utf-8');
        assert.deepEqual(Object.keys(answer.json).sort(), ['bucket', 'key', 'uploadId']);
        assert.equal(answer.json.bucket, bucket);
        assert.equal(answer.json.key, key);
        assert.match(answer.json.uploadId, /^[0-9a-f]{32}$/);
        assert.ok(answer.header('x-svc-request-id'));
      }
    },
  },
  {
    id: 'initiate-listed',
    name: 'an upload that was initiated is listed, and the object does not exist yet',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const uploadId = await initiate(storage, `/${bucket}/key`);
      const { uploads } = (await storage.get(`/${bucket}?uploads`)).is(200).json;
      assert.deepEqual(
        uploads.map((item: { uploadId: string }) => item.uploadId),
        [uploadId],
      );
      (await storage.head(`/${bucket}/key`)).failsBare(404);
      assert.deepEqual((await storage.get(`/${bucket}`)).json.contents, []);
    },
  },
  {
    id: 'initiate-leaves-object',
    name: 'an object of the same name stays as it is until CompleteMultipartUpload',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      (await storage.put(path, 'before', { 'x-svc-meta-a': '1' })).is(200);
      const uploadId = await initiate(storage, path, STORED);
      const listed = await part(storage, path, uploadId, 1, 'after');
      const answer = (await storage.get(path)).is(200);
      assert.equal(answer.text, 'before');
      assert.equal(answer.header('x-svc-meta-a'), '1');
      (await complete(storage, path, uploadId, [listed])).is(200);
      const replaced = (await storage.get(path)).is(200);
      assert.equal(replaced.text, 'after');
      assert.equal(replaced.header('x-svc-meta-a'), undefined);
    },
  },
  {
    id: 'initiate-headers',
    name: 'headers, storage class and metadata of InitiateMultipartUpload become the object’s',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const given = { ...STORED, 'x-svc-storage-class': 'COLD', 'x-svc-meta-One': 'first' };
      const uploadId = await initiate(storage, path, given);
      const listed = await part(storage, path, uploadId, 1, 'bytes');
      (await complete(storage, path, uploadId, [listed])).is(200);
      for (const answer of [await storage.get(path), await storage.head(path)]) {
        answer.is(200);
        for (const [name, value] of Object.entries(STORED)) {
          assert.equal(answer.header(name), value, name);
        }
        assert.equal(answer.header('x-svc-storage-class'), 'COLD');
        assert.equal(answer.header('x-svc-meta-one'), 'first');
      }
    },
  },
  {
    id: 'initiate-own-ids',
    name: 'one key may have any number of uploads, each with an id of its own',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const ids = await Promise.all(Array.from({ length: 20 }, () => initiate(storage, path)));
      assert.equal(new Set(ids).size, 20);
      const [first = '', second = ''] = ids;
      const one = await part(storage, path, first, 1, 'one');
      const two = await part(storage, path, second, 1, 'two');
      (await complete(storage, path, second, [two])).is(200);
      assert.equal((await storage.get(path)).text, 'two');
      (await complete(storage, path, first, [one])).is(200);
      assert.equal((await storage.get(path)).text, 'one');
    },
  },
  {
    id: 'initiate-no-bucket',
    name: 'InitiateMultipartUpload in a bucket that does not exist is 404 NoSuchBucket',
    async prove(storage) {
      const path = `/${storage.newName()}/key?uploads`;
      (await storage.send({ method: 'POST', path })).fails(404, 'NoSuchBucket');
    },
  },
  {
    id: 'initiate-bad-headers',
    name: 'a bad storage class, too much metadata or a bad key begins nothing',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key?uploads`;
      for (const [headers, code] of [
        [{ 'x-svc-storage-class': 'none' }, 'InvalidArgument'],
        [{ 'x-svc-meta-a': 'a'.repeat(2048) }, 'MetadataTooLarge'],
        [{ 'x-svc-meta-': 'a' }, 'InvalidArgument'],
      ] as const) {
        (await storage.send({ method: 'POST', path, headers })).fails(400, code);
      }
      const long = `/${bucket}/${'k'.repeat(1024)}?uploads`;
      (await storage.send({ method: 'POST', path: long })).fails(400, 'InvalidObjectName');
      assert.deepEqual((await storage.get(`/${bucket}?uploads`)).is(200).json.uploads, []);
    },
  },
  {
    id: 'initiate-longest-key',
    name: 'a key of 1,023 bytes can be uploaded in parts',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const key of ['k'.repeat(1023), '😀'.repeat(255), '\u{10ffff}', 'a//../b']) {
        const path = pathOf(bucket, key);
        const uploadId = await initiate(storage, path);
        const { uploads } = (await storage.get(`/${bucket}?uploads`)).is(200).json;
        assert.equal(uploads[0].key, key);
        const listed = await part(storage, path, uploadId, 10_000, key);
        const answer = (await complete(storage, path, uploadId, [listed])).is(200);
        assert.equal(answer.json.key, key);
        assert.equal((await storage.get(path)).is(200).text, key);
      }
    },
  },
  {
    id: 'initiate-delete-bucket',
    name: 'unfinished uploads do not keep a bucket from being deleted, and end with it',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      const uploadId = await initiate(storage, path);
      await part(storage, path, uploadId, 1, 'bytes');
      (await storage.delete(`/${bucket}`)).is(204);
      (await storage.get(`${path}?uploadId=${uploadId}`)).fails(404, 'NoSuchBucket');
      (await storage.put(`/${bucket}`)).is(200);
      (await storage.get(`${path}?uploadId=${uploadId}`)).fails(404, 'NoSuchUpload');
      assert.deepEqual((await storage.get(`/${bucket}?uploads`)).json.uploads, []);
    },
  },
  {
    id: 'initiate-access',
    name: 'InitiateMultipartUpload by a stranger or by nobody is 403 and begins nothing',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const as of STRANGERS) {
        const answer = await storage.send({ method: 'POST', path: `/${bucket}/key?uploads`, as });
        answer.fails(403, 'AccessDenied');
      }
      assert.deepEqual((await storage.get(`/${bucket}?uploads`)).is(200).json.uploads, []);
    },
  },
];
