import assert from 'node:assert/strict';
import { bytes } from '../../actions/tools.js';
import type { HttpRule } from '../wire/rule.js';

const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

export const cases: readonly HttpRule[] = [
  {
    id: 'get-object',
    name: 'GetObject answers 200 with the bytes, their length, ETag, Last-Modified, Accept-Ranges',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      (await storage.put(path, 'content', { 'content-type': 'text/plain' })).is(200);
      const answer = (await storage.get(path)).is(200);
      assert.equal(answer.text, 'content');
      assert.equal(answer.header('content-length'), '7');
      assert.equal(answer.header('content-type'), 'text/plain');
      assert.equal(answer.header('etag'), '"9a0364b9e99bb480dd25e1f0284c8555"');
      assert.match(answer.header('last-modified') ?? '', HTTP_DATE);
      assert.equal(answer.header('accept-ranges'), 'bytes');
      assert.equal(answer.header('content-range'), undefined);
      assert.equal(answer.header('x-svc-object-type'), undefined);
      assert.ok(answer.header('x-svc-request-id'));
    },
  },
  {
    id: 'get-object-content-type-kept',
    name: 'a Content-Type comes back as it was sent, without additions',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const type of [
        'text/html',
        'application/json',
        'text/plain;charset=ISO-8859-1',
        'odd',
      ]) {
        (await storage.put(`/${bucket}/key`, 'x', { 'content-type': type })).is(200);
        assert.equal((await storage.get(`/${bucket}/key`)).header('content-type'), type);
        assert.equal((await storage.head(`/${bucket}/key`)).header('content-type'), type);
      }
    },
  },
  {
    id: 'get-object-missing',
    name: 'a key that does not exist is 404 NoSuchKey, and 404 without a body for HEAD',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/folder/key`, 'x')).is(200);
      for (const key of ['no', 'folder', 'folder/', 'folder/key/', 'folder/ke', 'Folder/key']) {
        (await storage.get(`/${bucket}/${key}`)).fails(404, 'NoSuchKey');
        (await storage.head(`/${bucket}/${key}`)).failsBare(404);
      }
    },
  },
  {
    id: 'head-object',
    name: 'GetObjectMeta has the status and headers of GetObject, without a body',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const given = {
        'content-type': 'text/plain',
        'content-encoding': 'identity',
        'cache-control': 'no-cache',
        'x-svc-meta-a': 'b',
        'x-svc-storage-class': 'COLD',
      };
      const volatile = /^(date|connection|keep-alive|transfer-encoding|x-svc-(request|debug)-id)$/;
      for (const size of [0, 10, 70_000]) {
        const path = `/${bucket}/${size}`;
        (await storage.put(path, bytes(size), given)).is(200);
        const [head, get] = [await storage.head(path), await storage.get(path)];
        assert.equal(head.is(200).body.length, 0);
        assert.equal(get.is(200).body.length, size);
        const headers = ({ rawHeaders }: typeof get) =>
          rawHeaders
            .flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1]]] : []))
            .filter(([name = '']) => !volatile.test(name))
            .sort();
        assert.deepEqual(headers(head), headers(get));
        assert.equal(head.header('content-length'), String(size));
        assert.equal(head.header('x-svc-storage-class'), 'COLD');
      }
    },
  },
  {
    id: 'get-object-length-header',
    name: 'GET and HEAD with Content-Length: 0 are answered like those without',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key`, 'x')).is(200);
      const none = { 'content-length': 0 };
      assert.equal((await storage.get(`/${bucket}/key`, none)).is(200).text, 'x');
      (await storage.head(`/${bucket}/key`, none)).is(200);
      (await storage.get(`/${bucket}`, none)).is(200);
    },
  },
  {
    id: 'get-object-last-modified',
    name: 'Last-Modified says the time of the listing, and never goes back when an object is replaced',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      const time = async () => Date.parse((await storage.head(path)).header('last-modified') ?? '');
      (await storage.put(path, '1')).is(200);
      const first = await time();
      const { contents } = (await storage.get(`/${bucket}`)).json;
      assert.equal(Date.parse(contents[0].lastModified), first);
      (await storage.put(path, '2')).is(200);
      assert.ok((await time()) >= first);
    },
  },
];
