import assert from 'node:assert/strict';
import type { HttpRule } from '../wire/rule.js';
import { ALICE, allow, BOB, EVERYBODY, grant, putAclHeaders } from '../wire/settings.js';

const OWN = grant(ALICE, 'FULL_CONTROL');

/** The grants that GetBucketAcl returns for each canned list. */
const CANNED = {
  private: [OWN],
  'public-read': [OWN, grant(EVERYBODY, 'READ')],
  'public-read-write': [OWN, grant(EVERYBODY, 'READ', 'WRITE')],
};

export const cases: readonly HttpRule[] = [
  {
    id: 'json-bucket-acl-canned',
    name: 'PutBucketAcl accepts a canned list in x-svc-acl, and GetBucketAcl returns its grants',
    async prove(storage) {
      const path = `/${await storage.newBucket()}`;
      for (const [canned, accessControlList] of Object.entries(CANNED)) {
        const answer = (await putAclHeaders(storage, path, { 'x-svc-acl': canned })).is(200);
        assert.equal(answer.body.length, 0);
        assert.equal(answer.header('content-length'), '0');
        const { json } = (await storage.get(`${path}?acl`)).is(200);
        assert.deepEqual(json, { owner: { id: ALICE }, accessControlList });
      }
    },
  },
  {
    id: 'bucket-acl-delete',
    name: 'a bucket always has a list: DELETE is rejected, and leaves the bucket and its list unchanged',
    async prove(storage) {
      const path = `/${await storage.newBucket()}`;
      await allow(storage, path, grant(BOB, 'READ'));
      const { status } = await storage.delete(`${path}?acl`);
      assert.ok(status === 405 || status === 501 || status === 400, `answered ${status}`);
      const { accessControlList } = (await storage.get(`${path}?acl`)).is(200).json;
      assert.deepEqual(accessControlList, [grant(BOB, 'READ')]);
    },
  },
];
