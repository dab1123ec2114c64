import assert from 'node:assert/strict';
import type { Caller } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';

/** One request of every operation on a bucket that has the object `key`. */
const OPERATIONS = [
  { name: 'HeadBucket', method: 'HEAD', path: '' },
  { name: 'DeleteBucket', method: 'DELETE', path: '' },
  { name: 'GetBucketLocation', method: 'GET', path: '?location' },
  { name: 'ListObjects', method: 'GET', path: '' },
  { name: 'PutObject over another', method: 'PUT', path: '/key', body: 'stolen' },
  { name: 'PutObject', method: 'PUT', path: '/new', body: 'stolen' },
  { name: 'GetObject', method: 'GET', path: '/key' },
  { name: 'GetObject with Range', method: 'GET', path: '/key', headers: { range: 'bytes=0-1' } },
  { name: 'GetObject if changed', method: 'GET', path: '/key', headers: { 'if-none-match': '*' } },
  { name: 'GetObject with override', method: 'GET', path: '/key?responseContentType=text/html' },
  { name: 'GetObject of nothing', method: 'GET', path: '/no' },
  { name: 'GetObjectMeta', method: 'HEAD', path: '/key' },
  { name: 'GetObjectMeta of nothing', method: 'HEAD', path: '/no' },
  { name: 'DeleteObject', method: 'DELETE', path: '/key' },
  { name: 'DeleteObject of nothing', method: 'DELETE', path: '/no' },
] as const;

const STRANGERS: readonly Caller[] = ['bob', 'anonymous'];

export const cases: readonly HttpRule[] = [
  ...OPERATIONS.map((operation): HttpRule => {
    const { name, method, path, ...rest } = operation;
    return {
      id: `access-${name.replaceAll(/[ (]/g, '-').toLowerCase()}`,
      name: `${name} by a stranger or by nobody is 403 AccessDenied and changes nothing`,
      async prove(storage) {
        const bucket = await storage.newBucket();
        (await storage.put(`/${bucket}/key`, 'mine')).is(200);
        for (const as of STRANGERS) {
          const answer = await storage.send({ method, path: `/${bucket}${path}`, as, ...rest });
          if (method === 'HEAD') answer.failsBare(403);
          else answer.fails(403, 'AccessDenied');
          assert.equal(answer.header('etag'), undefined);
        }
        assert.equal((await storage.get(`/${bucket}/key`)).is(200).text, 'mine');
        assert.equal((await storage.get(`/${bucket}`)).is(200).json.contents.length, 1);
      },
    };
  }),
  {
    id: 'access-delete-objects',
    name: 'DeleteMultipleObjects by a stranger deletes nothing, and does not tell what exists',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key`, 'mine')).is(200);
      const body = JSON.stringify({ objects: [{ key: 'key' }, { key: 'no' }] });
      for (const as of STRANGERS) {
        const path = `/${bucket}?delete`;
        const answer = await storage.send({ method: 'POST', path, as, body });
        if (answer.status === 200) {
          const codes = answer.json.errors.map(({ code }: { code: string }) => code);
          assert.deepEqual(codes, ['AccessDenied', 'AccessDenied']);
        } else {
          answer.fails(403, 'AccessDenied');
        }
      }
      assert.equal((await storage.get(`/${bucket}/key`)).is(200).text, 'mine');
    },
  },
  {
    id: 'access-before-input',
    name: 'who may not call is told so, whatever else is wrong with the request',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const as = 'bob';
      const headers = { 'content-md5': 'no', 'x-svc-storage-class': 'no' };
      const put = await storage.send({
        method: 'PUT',
        path: `/${bucket}/key`,
        as,
        headers,
        body: '',
      });
      put.fails(403, 'AccessDenied');
      const list = await storage.send({ method: 'GET', path: `/${bucket}?maxKeys=x`, as });
      list.fails(403, 'AccessDenied');
    },
  },
  {
    id: 'access-forged',
    name: 'headers and query parameters of a request do not make a caller someone else',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key`, 'mine')).is(200);
      const headers = {
        'x-forwarded-user': 'alice',
        'x-forwarded-for': '127.0.0.1',
        'x-http-method-override': 'DELETE',
        'x-original-url': '/',
        'x-rewrite-url': '/',
      };
      for (const as of STRANGERS) {
        const path = `/${bucket}/key?user=alice&_method=DELETE`;
        (await storage.send({ method: 'GET', path, as, headers })).fails(403, 'AccessDenied');
        for (const name of ['x-svc-principal', 'x-svc-user-id']) {
          const own = { [name]: 'u-alice' };
          const answer = await storage.send({ method: 'GET', path, as, headers: own });
          answer.fails(400, 'InvalidArgument');
        }
      }
      const signed = `/${bucket}/key?authorization=alice`;
      const answer = await storage.send({ method: 'GET', path: signed, as: 'anonymous' });
      answer.fails(501, 'NotImplemented');
      (await storage.get(`/${bucket}/key`, headers)).is(200);
    },
  },
];
