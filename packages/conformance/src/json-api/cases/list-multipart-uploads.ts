import assert from 'node:assert/strict';
import { pathOf, type StorageClient } from '../wire/client.js';
import { initiate, TIME } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';

type Parameters = Readonly<Record<string, string | number>>;

interface ListedUpload {
  readonly key: string;
  readonly uploadId: string;
}

async function list(storage: StorageClient, bucket: string, parameters: Parameters = {}) {
  const pairs = Object.entries(parameters);
  const query = pairs.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join('');
  const { json } = (await storage.get(`/${bucket}?uploads${query}`)).is(200);
  const uploads: readonly ListedUpload[] = json.uploads;
  const found: readonly { prefix: string }[] = json.commonPrefixes ?? [];
  const prefixes = found.map(({ prefix }) => prefix);
  return { json, uploads, keys: uploads.map(({ key }) => key), prefixes };
}

async function begin(storage: StorageClient, bucket: string, keys: readonly string[]) {
  const names: string[] = [];
  for (const key of keys) names.push(`${key} ${await initiate(storage, pathOf(bucket, key))}`);
  return names;
}

export const cases: readonly HttpRule[] = [
  {
    id: 'json-list-uploads',
    name: 'ListMultipartUploads returns these JSON fields and no others, for ?uploads and ?uploads=',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const uploadId = await initiate(storage, `/${bucket}/key`, { 'x-svc-storage-class': 'COLD' });
      for (const flag of ['?uploads', '?uploads=']) {
        const answer = (await storage.get(`/${bucket}${flag}`)).is(200);
        assert.equal(answer.header('content-type'), 'application/json; charset=utf-8');
        const { uploads, ...rest } = answer.json;
        assert.deepEqual(rest, {
          bucket,
          prefix: '',
          keyMarker: '',
          maxUploads: 1000,
          isTruncated: false,
        });
        const [{ initiated, ...upload }] = uploads;
        assert.match(initiated, TIME);
        assert.deepEqual(upload, {
          key: 'key',
          uploadId,
          owner: { id: 'u-alice', displayName: 'Alice' },
          storageClass: 'COLD',
        });
      }
    },
  },
  {
    id: 'json-list-uploads-max',
    name: 'maxUploads may be 0; above 1000, it is treated as 1000; anything but a number is InvalidArgument',
    async prove(storage) {
      const bucket = await storage.newBucket();
      await begin(storage, bucket, ['a', 'b']);
      const none = await list(storage, bucket, { maxUploads: 0 });
      assert.deepEqual([none.keys, none.json.maxUploads, none.json.isTruncated], [[], 0, false]);
      const most = await list(storage, bucket, { maxUploads: 2000 });
      assert.deepEqual([most.keys, most.json.maxUploads], [['a', 'b'], 1000]);
      for (const value of ['-1', '1e3', '', 'x', '1.5', '0x1']) {
        const answer = await storage.get(`/${bucket}?uploads&maxUploads=${value}`);
        answer.fails(400, 'InvalidArgument');
      }
    },
  },
  {
    id: 'json-list-uploads-delimiter-long',
    name: 'a delimiter of more than one character is also 400 InvalidArgument for uploads',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.get(`/${bucket}?uploads&delimiter=ab`)).fails(400, 'InvalidArgument');
    },
  },
];
