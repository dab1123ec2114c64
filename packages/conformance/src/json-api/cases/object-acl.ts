import assert from 'node:assert/strict';
import type { Caller, StorageClient } from '../wire/client.js';
import { copy, initiate, partPath, rename } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';
import { allow, BOB, EVERYBODY, grant, putAclHeaders, putSetting } from '../wire/settings.js';

/** A bucket of alice with the object `key`. */
async function stored(storage: StorageClient): Promise<{ bucket: string; path: string }> {
  const bucket = await storage.newBucket();
  const path = `/${bucket}/key`;
  (await storage.put(path, 'mine')).is(200);
  return { bucket, path };
}

const CANNED = { private: [], 'public-read': [grant(EVERYBODY, 'READ')] };

/** Every way to read an object, with what it answers to whom may. */
async function reads(storage: StorageClient, path: string, as: Caller): Promise<number[]> {
  const get = await storage.send({ method: 'GET', path, as });
  const head = await storage.send({ method: 'HEAD', path, as });
  const range = { range: 'bytes=0-0' };
  const part = await storage.send({ method: 'GET', path, as, headers: range });
  return [get.status, head.status, part.status];
}
const ALLOWED = [200, 200, 206];
const DENIED = [403, 403, 403];

/** Copies an object into a bucket of bob, as a whole and as a part. */
async function copies(storage: StorageClient, source: string, own: string): Promise<number[]> {
  const headers = { 'x-svc-copy-source': source };
  const path = `/${own}/copy`;
  const whole = await storage.send({ method: 'PUT', path, as: 'bob', headers });
  const begun = await storage.send({ method: 'POST', path: `${path}?uploads`, as: 'bob' });
  const { uploadId } = begun.is(200).json;
  const to = partPath(path, uploadId, 1);
  const part = await storage.send({ method: 'PUT', path: to, as: 'bob', headers });
  return [whole.status, part.status];
}

export const cases: readonly HttpRule[] = [
  {
    id: 'object-acl-none',
    name: 'an object without a list of its own is 404 ObjectAclNotExists, a missing one NoSuchKey',
    async prove(storage) {
      const { bucket, path } = await stored(storage);
      (await storage.get(`${path}?acl`)).fails(404, 'ObjectAclNotExists');
      const missing = `/${bucket}/no`;
      (await storage.get(`${missing}?acl`)).fails(404, 'NoSuchKey');
      (await storage.delete(`${missing}?acl`)).fails(404, 'NoSuchKey');
      const put = await putAclHeaders(storage, missing, { 'x-svc-acl': 'private' });
      put.fails(404, 'NoSuchKey');
      (await storage.get(`/${storage.newName()}/key?acl`)).fails(404, 'NoSuchBucket');
    },
  },
  {
    id: 'object-acl-canned',
    name: 'PutObjectAcl takes private and public-read in x-svc-acl, in these letters only',
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
  {
    id: 'object-acl-opens',
    name: 'a list of an object opens it where the bucket is closed',
    async prove(storage) {
      const { path } = await stored(storage);
      assert.deepEqual(await reads(storage, path, 'bob'), DENIED);
      await allow(storage, path, grant(BOB, 'READ'));
      assert.deepEqual(await reads(storage, path, 'bob'), ALLOWED);
      assert.deepEqual(await reads(storage, path, 'anonymous'), DENIED);
      assert.deepEqual(await reads(storage, path, 'alice'), ALLOWED);
    },
  },
  {
    id: 'object-acl-closes',
    name: 'a list of an object closes it where the bucket is open',
    async prove(storage) {
      const { bucket, path } = await stored(storage);
      await allow(storage, `/${bucket}`, grant(EVERYBODY, 'FULL_CONTROL'));
      assert.deepEqual(await reads(storage, path, 'anonymous'), ALLOWED);
      await allow(storage, path, grant('u-carol', 'READ'));
      for (const as of ['bob', 'anonymous'] as const) {
        assert.deepEqual(await reads(storage, path, as), DENIED);
      }
      assert.deepEqual(await reads(storage, path, 'alice'), ALLOWED);
    },
  },
  {
    id: 'object-acl-delete',
    name: 'DeleteObjectAcl is 204, and the list of the bucket holds again',
    async prove(storage) {
      const { bucket, path } = await stored(storage);
      await allow(storage, path, grant(BOB, 'READ'));
      assert.equal((await storage.delete(`${path}?acl`)).is(204).body.length, 0);
      assert.deepEqual(await reads(storage, path, 'bob'), DENIED);
      (await storage.get(`${path}?acl`)).fails(404, 'ObjectAclNotExists');
      await allow(storage, `/${bucket}`, grant(BOB, 'READ'));
      assert.deepEqual(await reads(storage, path, 'bob'), ALLOWED);
      assert.equal((await storage.get(path)).text, 'mine');
    },
  },
  {
    id: 'object-acl-copy-source',
    name: 'a list of an object says too who may copy from it, as a whole and into a part',
    async prove(storage) {
      const { bucket, path } = await stored(storage);
      const own = storage.newName();
      (await storage.send({ method: 'PUT', path: `/${own}`, as: 'bob' })).is(200);
      assert.deepEqual(await copies(storage, path, own), [403, 403]);
      await allow(storage, path, grant(BOB, 'READ'));
      assert.deepEqual(await copies(storage, path, own), [200, 200]);
      await allow(storage, `/${bucket}`, grant(BOB, 'READ'));
      await allow(storage, path);
      assert.deepEqual(await copies(storage, path, own), [403, 403]);
      (await storage.delete(`${path}?acl`)).is(204);
      assert.deepEqual(await copies(storage, path, own), [200, 200]);
    },
  },
  {
    id: 'object-acl-reads-only',
    name: 'a list of an object takes the place of the one of the bucket for reads only',
    async prove(storage) {
      const { bucket, path } = await stored(storage);
      const as = 'bob';
      await allow(storage, path, grant(BOB, 'FULL_CONTROL'));
      const send = (method: string, to: string) => storage.send({ method, path: to, as });
      (await send('PUT', path)).fails(403, 'AccessDenied');
      (await send('POST', `${path}?append`)).fails(403, 'AccessDenied');
      (await send('DELETE', path)).fails(403, 'AccessDenied');
      (await send('POST', `${path}?uploads`)).fails(403, 'AccessDenied');
      const uploadId = await initiate(storage, path);
      (await send('GET', `${path}?uploadId=${uploadId}`)).fails(403, 'AccessDenied');
      (await send('GET', `/${bucket}`)).fails(403, 'AccessDenied');
      assert.equal((await storage.get(path)).is(200).text, 'mine');
      await allow(storage, path);
      await allow(storage, `/${bucket}`, grant(BOB, 'WRITE', 'READ'));
      (await send('GET', path)).fails(403, 'AccessDenied');
      (await send('GET', `${path}?uploadId=${uploadId}`)).is(200);
      (await send('DELETE', path)).is(204);
    },
  },
  {
    id: 'object-acl-full-control',
    name: 'FULL_CONTROL on an object reads it, and reads, changes and removes its list',
    async prove(storage) {
      const { path } = await stored(storage);
      const list = { accessControlList: [grant(BOB, 'FULL_CONTROL')] };
      (await putSetting(storage, path, 'acl', list)).is(200);
      assert.deepEqual(await reads(storage, path, 'bob'), ALLOWED);
      const got = await storage.send({ method: 'GET', path: `${path}?acl`, as: 'bob' });
      assert.deepEqual(got.is(200).json, list);
      const wider = { accessControlList: [grant(BOB, 'FULL_CONTROL'), grant(EVERYBODY, 'READ')] };
      (await putSetting(storage, path, 'acl', wider, 'bob')).is(200);
      assert.deepEqual(await reads(storage, path, 'anonymous'), ALLOWED);
      (await putSetting(storage, path, 'acl', list, 'anonymous')).fails(403, 'AccessDenied');
      (await storage.send({ method: 'DELETE', path: `${path}?acl`, as: 'bob' })).is(204);
      (await putSetting(storage, path, 'acl', list, 'bob')).fails(403, 'AccessDenied');
      assert.deepEqual(await reads(storage, path, 'bob'), DENIED);
    },
  },
  {
    id: 'object-acl-read-is-not-control',
    name: 'who may only read an object learns and changes nothing of its list',
    async prove(storage) {
      const { path } = await stored(storage);
      await allow(storage, path, grant(BOB, 'READ'));
      for (const method of ['GET', 'DELETE']) {
        const answer = await storage.send({ method, path: `${path}?acl`, as: 'bob' });
        answer.fails(403, 'AccessDenied');
      }
      const list = { accessControlList: [grant(BOB, 'FULL_CONTROL')] };
      (await putSetting(storage, path, 'acl', list, 'bob')).fails(403, 'AccessDenied');
    },
  },
  {
    id: 'object-acl-follows',
    name: 'the list of an object goes with it when it is renamed, and ends when it is replaced',
    async prove(storage) {
      const { bucket, path } = await stored(storage);
      await allow(storage, path, grant(BOB, 'READ'));
      (await rename(storage, 'key', `/${bucket}/new`)).is(200);
      assert.deepEqual(await reads(storage, `/${bucket}/new`, 'bob'), ALLOWED);
      assert.deepEqual(await reads(storage, path, 'bob'), DENIED);
      (await storage.put(`/${bucket}/new`, 'another')).is(200);
      assert.deepEqual(await reads(storage, `/${bucket}/new`, 'bob'), DENIED);
      (await storage.get(`/${bucket}/new?acl`)).fails(404, 'ObjectAclNotExists');
    },
  },
  {
    id: 'object-acl-not-copied',
    name: 'a copy does not take the list of its source, and a copy onto itself keeps it',
    async prove(storage) {
      const { bucket, path } = await stored(storage);
      await allow(storage, path, grant(EVERYBODY, 'READ'));
      (await copy(storage, path, `/${bucket}/copy`)).is(200);
      (await storage.get(`/${bucket}/copy?acl`)).fails(404, 'ObjectAclNotExists');
      assert.deepEqual(await reads(storage, `/${bucket}/copy`, 'anonymous'), DENIED);
      const replace = { 'x-svc-metadata-directive': 'replace', 'x-svc-meta-a': '1' };
      (await copy(storage, path, path, replace)).is(200);
      assert.deepEqual(await reads(storage, path, 'anonymous'), ALLOWED);
    },
  },
];
