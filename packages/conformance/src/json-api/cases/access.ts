import type { Caller } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';

const STRANGERS: readonly Caller[] = ['bob', 'anonymous'];

export const cases: readonly HttpRule[] = [
  {
    id: 'json-access-before-input',
    name: 'a caller without permission gets 403, whatever else is wrong with the request',
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
    name: 'headers and query parameters of a request do not change who the caller is',
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
