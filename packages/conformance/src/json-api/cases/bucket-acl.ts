import assert from 'node:assert/strict';
import type { HttpRule } from '../wire/rule.js';
import {
  ALICE,
  allow,
  BOB,
  EVERYBODY,
  grant,
  putAclHeaders,
  putSetting,
} from '../wire/settings.js';

const OWN = grant(ALICE, 'FULL_CONTROL');

/** What GetBucketAcl shows of each canned list. */
const CANNED = {
  private: [OWN],
  'public-read': [OWN, grant(EVERYBODY, 'READ')],
  'public-read-write': [OWN, grant(EVERYBODY, 'READ', 'WRITE')],
};

const UNKNOWN = [
  ...['Private', 'PUBLIC-READ', 'public-write', 'authenticated-read', 'bucket-owner-read'],
  ...['public-read, private', 'true', '*'],
];

export const cases: readonly HttpRule[] = [
  {
    id: 'bucket-acl-default',
    name: 'GetBucketAcl of a new bucket shows its owner, who has FULL_CONTROL, and nobody else',
    async prove(storage) {
      const { json } = (await storage.get(`/${await storage.newBucket()}?acl`)).is(200);
      assert.deepEqual(json, { owner: { id: ALICE }, accessControlList: [OWN] });
    },
  },
  {
    id: 'bucket-acl-canned',
    name: 'PutBucketAcl takes a canned list in x-svc-acl, and GetBucketAcl shows what it means',
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
    id: 'bucket-acl-at-creation',
    name: 'PutBucket takes the same canned lists',
    async prove(storage) {
      const bucket = storage.newName();
      for (const [canned, accessControlList] of Object.entries(CANNED)) {
        (await storage.put(`/${bucket}`, '', { 'x-svc-acl': canned })).is(200);
        const { json } = (await storage.get(`/${bucket}?acl`)).is(200);
        assert.deepEqual(json.accessControlList, accessControlList);
        (await storage.delete(`/${bucket}`)).is(204);
      }
      for (const value of UNKNOWN) {
        const answer = await storage.put(`/${bucket}`, '', { 'x-svc-acl': value });
        answer.fails(400, 'InvalidArgument');
        (await storage.head(`/${bucket}`)).failsBare(404);
      }
    },
  },
  {
    id: 'bucket-acl-unknown-canned',
    name: 'a canned list that does not exist, or has other capitals, is 400 InvalidArgument',
    async prove(storage) {
      const path = `/${await storage.newBucket()}`;
      (await putAclHeaders(storage, path, { 'x-svc-acl': 'public-read' })).is(200);
      for (const value of UNKNOWN) {
        const answer = await putAclHeaders(storage, path, { 'x-svc-acl': value });
        answer.fails(400, 'InvalidArgument');
      }
      const { accessControlList } = (await storage.get(`${path}?acl`)).is(200).json;
      assert.deepEqual(accessControlList, CANNED['public-read']);
    },
  },
  {
    id: 'bucket-acl-grants',
    name: 'grants come back as they were set, in their order',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const grants = [
        { ...grant(BOB, 'WRITE', 'READ', 'LIST'), effect: 'Deny' },
        { grantee: [{ id: BOB }, { id: 'u-carol' }], permission: ['MODIFY'] },
        { ...grant(EVERYBODY, 'READ'), resource: [`${bucket}/a*`, `${bucket}/b`] },
        { ...grant('u-\u4f60 "x"', 'FULL_CONTROL'), notResource: [`${bucket}/*.txt`] },
        { ...grant(BOB, 'READ'), effect: 'Allow' },
      ];
      await allow(storage, `/${bucket}`, ...grants);
      const { json } = (await storage.get(`/${bucket}?acl`)).is(200);
      assert.deepEqual(json, { owner: { id: ALICE }, accessControlList: grants });
    },
  },
  {
    id: 'bucket-acl-replaces',
    name: 'a list takes the place of the one before as a whole, canned or not',
    async prove(storage) {
      const path = `/${await storage.newBucket()}`;
      const shown = async () => (await storage.get(`${path}?acl`)).is(200).json.accessControlList;
      await allow(storage, path, grant(BOB, 'READ'), grant(BOB, 'WRITE'));
      await allow(storage, path, grant(BOB, 'LIST'));
      assert.deepEqual(await shown(), [grant(BOB, 'LIST')]);
      (await putAclHeaders(storage, path, { 'x-svc-acl': 'public-read' })).is(200);
      assert.deepEqual(await shown(), CANNED['public-read']);
      await allow(storage, path);
      assert.deepEqual(await shown(), []);
      (await storage.send({ method: 'GET', path, as: 'bob' })).fails(403, 'AccessDenied');
    },
  },
  {
    id: 'bucket-acl-ends',
    name: 'a bucket that is created anew has nothing of the list of the old one',
    async prove(storage) {
      const bucket = await storage.newBucket();
      await allow(storage, `/${bucket}`, grant(EVERYBODY, 'FULL_CONTROL'));
      (await storage.delete(`/${bucket}`)).is(204);
      (await storage.put(`/${bucket}`)).is(200);
      const { accessControlList } = (await storage.get(`/${bucket}?acl`)).is(200).json;
      assert.deepEqual(accessControlList, [OWN]);
      const path = `/${bucket}`;
      (await storage.send({ method: 'GET', path, as: 'anonymous' })).fails(403, 'AccessDenied');
    },
  },
  {
    id: 'bucket-acl-no-bucket',
    name: 'the list of a bucket that does not exist is 404 NoSuchBucket for everybody',
    async prove(storage) {
      const path = `/${storage.newName()}`;
      for (const as of ['alice', 'bob', 'anonymous'] as const) {
        const got = await storage.send({ method: 'GET', path: `${path}?acl`, as });
        got.fails(404, 'NoSuchBucket');
        const put = await putSetting(storage, path, 'acl', { accessControlList: [] }, as);
        put.fails(404, 'NoSuchBucket');
      }
    },
  },
  {
    id: 'bucket-acl-delete',
    name: 'a bucket always has a list: DELETE is refused, and leaves the bucket and its list',
    async prove(storage) {
      const path = `/${await storage.newBucket()}`;
      await allow(storage, path, grant(BOB, 'READ'));
      const { status } = await storage.delete(`${path}?acl`);
      assert.ok(status === 405 || status === 501 || status === 400, `answered ${status}`);
      const { accessControlList } = (await storage.get(`${path}?acl`)).is(200).json;
      assert.deepEqual(accessControlList, [grant(BOB, 'READ')]);
    },
  },
  {
    id: 'bucket-acl-by-grantee',
    name: 'who has FULL_CONTROL may change the list, but the owner stays the owner',
    async prove(storage) {
      const path = `/${await storage.newBucket()}`;
      await allow(storage, path, grant(BOB, 'FULL_CONTROL'));
      const headers = { 'x-svc-acl': 'private' };
      (await storage.send({ method: 'PUT', path: `${path}?acl`, as: 'bob', headers })).is(200);
      const { json } = (await storage.get(`${path}?acl`)).is(200);
      assert.deepEqual(json, { owner: { id: ALICE }, accessControlList: [OWN] });
      const again = await storage.send({ method: 'GET', path: `${path}?acl`, as: 'bob' });
      again.fails(403, 'AccessDenied');
    },
  },
];
