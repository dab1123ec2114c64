import assert from 'node:assert/strict';
import type { Caller, StorageClient } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';
import { EVERYBODY, grant, putAclHeaders } from '../wire/settings.js';

/** Creates a bucket of alice with the object `key`. */
async function stored(storage: StorageClient): Promise<{ bucket: string; path: string }> {
  const bucket = await storage.newBucket();
  const path = `/${bucket}/key`;
  (await storage.put(path, 'mine')).is(200);
  return { bucket, path };
}

const CANNED = { private: [], 'public-read': [grant(EVERYBODY, 'READ')] };

/** The statuses of every way to read an object. */
async function reads(storage: StorageClient, path: string, as: Caller): Promise<number[]> {
  const get = await storage.send({ method: 'GET', path, as });
  const head = await storage.send({ method: 'HEAD', path, as });
  const range = { range: 'bytes=0-0' };
  const part = await storage.send({ method: 'GET', path, as, headers: range });
  return [get.status, head.status, part.status];
}
const ALLOWED = [200, 200, 206];
const DENIED = [403, 403, 403];

export const cases: readonly HttpRule[] = [
  {
    id: 'json-object-acl-canned',
    name: 'PutObjectAcl accepts private and public-read in x-svc-acl, in lower case only',
    async prove(storage) {
      const { path } = await stored(storage);
      for (const [canned, accessControlList] of Object.entries(CANNED)) {
        const answer = (await putAclHeaders(storage, path, { 'x-svc-acl': canned })).is(200);
        assert.equal(answer.body.length, 0);
        const { json } = (await storage.get(`${path}?acl`)).is(200);
        assert.deepEqual(json, { accessControlList });
        const expected = canned === 'private' ? DENIED : ALLOWED;
        assert.deepEqual(await reads(storage, path, 'anonymous'), expected);
      }
      for (const value of ['public-read-write', 'Public-Read', 'PRIVATE', 'x']) {
        const answer = await putAclHeaders(storage, path, { 'x-svc-acl': value });
        answer.fails(400, 'InvalidArgument');
      }
      const { accessControlList } = (await storage.get(`${path}?acl`)).is(200).json;
      assert.deepEqual(accessControlList, CANNED['public-read']);
    },
  },
];
