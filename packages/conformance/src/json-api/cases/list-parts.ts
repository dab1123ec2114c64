import assert from 'node:assert/strict';
import { pathOf } from '../wire/client.js';
import { initiate, md5, part, TIME } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';

export const cases: readonly HttpRule[] = [
  {
    id: 'json-list-parts',
    name: 'ListParts returns every field of the interface with the right type',
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
    id: 'list-parts-bad-numbers',
    name: 'maxParts and partNumberMarker that are not whole numbers are InvalidArgument',
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
    id: 'json-list-parts-no-id',
    name: 'an uploadId that is empty or has no value is 400 InvalidArgument',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.get(`/${bucket}/key?uploadId=`)).fails(400, 'InvalidArgument');
      (await storage.get(`/${bucket}/key?uploadId`)).fails(400, 'InvalidArgument');
    },
  },
];
