import assert from 'node:assert/strict';
import { pathOf } from '../wire/client.js';
import {
  abort,
  complete,
  initiate,
  inTurns,
  listParts,
  md5,
  NO_UPLOAD,
  part,
  partPath,
  STRANGERS,
  TIME,
} from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';

export const cases: readonly HttpRule[] = [
  {
    id: 'list-parts',
    name: 'ListParts answers every field of the interface, each of its type',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const key = 'folder/schlüssel';
      const path = pathOf(bucket, key);
      const uploadId = await initiate(storage, path, { 'x-svc-storage-class': 'COLD' });
      await part(storage, path, uploadId, 1, 'one');
      await part(storage, path, uploadId, 20, 'twenty');
      const answer = (await storage.get(`${path}?uploadId=${uploadId}`)).is(200);
      assert.equal(answer.header('content-type'), 'application/json; charset=utf-8');
      const { initiated, parts, ...rest } = answer.json;
      assert.deepEqual(rest, {
        bucket,
        key,
        uploadId,
        owner: { id: 'acme-1001', displayName: 'acme-1001' },
        storageClass: 'COLD',
        partNumberMarker: 0,
        nextPartNumberMarker: 20,
        maxParts: 1000,
        isTruncated: false,
      });
      assert.match(initiated, TIME);
      const found = parts.map(({ lastModified, ...others }: { lastModified: string }) => {
        assert.match(lastModified, TIME);
        assert.ok(lastModified >= initiated);
        return others;
      });
      const [one, twenty] = [md5('one'), md5('twenty')];
      assert.deepEqual(found, [
        { partNumber: 1, ETag: one, eTag: one, size: 3 },
        { partNumber: 20, ETag: twenty, eTag: twenty, size: 6 },
      ]);
      assert.ok(Math.abs(Date.parse(initiated) - Date.now()) < 600_000, 'times are UTC');
    },
  },
  {
    id: 'list-parts-empty',
    name: 'an upload without parts has an empty list',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const { json } = await listParts(storage, path, await initiate(storage, path));
      assert.deepEqual(json.parts, []);
      assert.equal(json.isTruncated, false);
      assert.equal(json.nextPartNumberMarker, 0);
      assert.equal(json.storageClass, 'STANDARD');
    },
  },
  {
    id: 'list-parts-order',
    name: 'parts are listed in ascending order of their numbers, however they came',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const uploadId = await initiate(storage, path);
      const numbers = [10_000, 2, 999, 1, 100, 9, 10, 1000, 9999];
      for (const number of numbers) await part(storage, path, uploadId, number, `${number}`);
      const sorted = numbers.toSorted((a, b) => a - b);
      assert.deepEqual((await listParts(storage, path, uploadId)).numbers, sorted);
    },
  },
  {
    id: 'list-parts-pages',
    name: 'pages of parts add up to all, each beginning after the marker',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const uploadId = await initiate(storage, path);
      const numbers = [1, 3, 4, 7, 50, 9999, 10_000];
      for (const number of numbers) await part(storage, path, uploadId, number, 'x');
      for (const size of [1, 2, 3, 7]) {
        const found: number[] = [];
        for (let marker = 0, more = true; more; ) {
          const query = `&maxParts=${size}&partNumberMarker=${marker}`;
          const { json, numbers: page } = await listParts(storage, path, uploadId, query);
          assert.equal(json.partNumberMarker, marker);
          assert.equal(json.maxParts, size);
          assert.equal(json.nextPartNumberMarker, page.at(-1));
          found.push(...page);
          more = json.isTruncated;
          assert.equal(more, found.length < numbers.length);
          marker = json.nextPartNumberMarker;
        }
        assert.deepEqual(found, numbers);
      }
    },
  },
  {
    id: 'list-parts-marker',
    name: 'the marker need not be a part, and may lie behind the last one',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const uploadId = await initiate(storage, path);
      for (const number of [2, 5]) await part(storage, path, uploadId, number, 'x');
      const after = async (marker: number | string) =>
        (await listParts(storage, path, uploadId, `&partNumberMarker=${marker}`)).numbers;
      assert.deepEqual(await after(0), [2, 5]);
      assert.deepEqual(await after(1), [2, 5]);
      assert.deepEqual(await after(3), [5]);
      for (const end of [5, 10_000, 10_001, 99_999, 100_000, 9_007_199_254_740_991]) {
        assert.deepEqual(await after(end), [], `${end}`);
      }
    },
  },
  {
    id: 'list-parts-max-zero',
    name: 'maxParts may be 0; more than 1000 is answered with 1000',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const uploadId = await initiate(storage, path);
      await part(storage, path, uploadId, 1, 'x');
      const none = await listParts(storage, path, uploadId, '&maxParts=0');
      assert.deepEqual([none.numbers, none.json.maxParts, none.json.isTruncated], [[], 0, false]);
      for (const size of [1001, 2000, 4_294_967_296]) {
        const { json, numbers } = await listParts(storage, path, uploadId, `&maxParts=${size}`);
        assert.deepEqual([json.maxParts, numbers], [1000, [1]]);
      }
    },
  },
  {
    id: 'list-parts-thousand',
    name: 'without maxParts 1,000 parts are listed, and the marker leads to the rest',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const uploadId = await initiate(storage, path);
      await inTurns(1003, 16, (at) => part(storage, path, uploadId, at + 1, 'x'));
      const first = await listParts(storage, path, uploadId);
      assert.equal(first.numbers.length, 1000);
      assert.deepEqual([first.json.isTruncated, first.json.nextPartNumberMarker], [true, 1000]);
      const rest = await listParts(storage, path, uploadId, '&partNumberMarker=1000');
      assert.deepEqual(rest.numbers, [1001, 1002, 1003]);
      assert.equal(rest.json.isTruncated, false);
    },
  },
  {
    id: 'list-parts-bad-numbers',
    name: 'maxParts and partNumberMarker that are no whole numbers are InvalidArgument',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const uploadId = await initiate(storage, path);
      for (const name of ['maxParts', 'partNumberMarker']) {
        for (const value of ['-1', '1e3', '', '1.5', 'x', '0x10', '%201', '9'.repeat(400)]) {
          const answer = await storage.get(`${path}?uploadId=${uploadId}&${name}=${value}`);
          answer.fails(400, 'InvalidArgument');
        }
      }
    },
  },
  {
    id: 'list-parts-no-upload',
    name: 'ListParts of an unknown, completed or aborted upload, or another key’s, is NoSuchUpload',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      const [done, gone, open] = [
        await initiate(storage, path),
        await initiate(storage, path),
        await initiate(storage, path),
      ];
      const listed = await part(storage, path, done, 1, 'x');
      (await storage.put(partPath(path, gone, 1), 'x')).is(200);
      (await complete(storage, path, done, [listed])).is(200);
      (await abort(storage, path, gone)).is(204);
      for (const id of [
        NO_UPLOAD,
        done,
        gone,
        '..%2Fx',
        'a'.repeat(5000),
        '%00',
        `${open}/00001`,
      ]) {
        (await storage.get(`${path}?uploadId=${id}`)).fails(404, 'NoSuchUpload');
      }
      (await storage.get(`/${bucket}/other?uploadId=${open}`)).fails(404, 'NoSuchUpload');
      (await storage.get(`${path}?uploadId=`)).fails(400, 'InvalidArgument');
      (await storage.get(`${path}?uploadId`)).fails(400, 'InvalidArgument');
    },
  },
  {
    id: 'list-parts-access',
    name: 'ListParts by a stranger or by nobody is 403',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const uploadId = await initiate(storage, path);
      for (const as of STRANGERS) {
        for (const id of [uploadId, NO_UPLOAD]) {
          const answer = await storage.send({ method: 'GET', path: `${path}?uploadId=${id}`, as });
          answer.fails(403, 'AccessDenied');
        }
      }
    },
  },
];
