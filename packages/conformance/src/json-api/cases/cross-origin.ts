import assert from 'node:assert/strict';
import type { ClientRequest } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';
import { accessHeaders, bucketWithCors, listIn } from '../wire/settings.js';

const ORIGIN = 'https://app.example';
const RULE = { allowedOrigins: [ORIGIN], allowedMethods: ['GET', 'PUT', 'POST'] };

/** Requests that match no action, or that the action rejects. */
const REQUESTS: readonly (ClientRequest & { readonly status: number })[] = [
  { status: 405, method: 'POST', path: '/key' },
  { status: 400, method: 'GET', path: '?maxKeys=x' },
  { status: 501, method: 'GET', path: '/key?tagging' },
  { status: 400, method: 'PUT', path: '/other', body: 'x', headers: { 'content-md5': 'no' } },
  { status: 400, method: 'PUT', path: '?cors', body: '{' },
];

export const cases: readonly HttpRule[] = [
  {
    id: 'json-cross-origin',
    name: 'a page of an allowed origin may read responses to invalid requests',
    async prove(storage) {
      const bucket = await bucketWithCors(storage, RULE);
      for (const { status, path, ...rest } of REQUESTS) {
        const headers = { ...rest.headers, origin: ORIGIN };
        const answer = await storage.send({ ...rest, path: `/${bucket}${path}`, headers });
        assert.equal(answer.is(status).header('access-control-allow-origin'), ORIGIN, path);
        assert.ok(listIn(answer, 'vary').includes('origin'), path);
      }
    },
  },
  {
    id: 'json-cross-origin-other',
    name: 'for other origins, such responses have no access headers',
    async prove(storage) {
      const bucket = await bucketWithCors(storage, RULE);
      for (const { status, path, ...rest } of REQUESTS) {
        const headers = { ...rest.headers, origin: 'https://evil.example' };
        const answer = await storage.send({ ...rest, path: `/${bucket}${path}`, headers });
        answer.is(rest.method === 'PUT' ? 403 : status);
        assert.deepEqual(accessHeaders(answer), [], path);
        assert.ok(listIn(answer, 'vary').includes('origin'), path);
      }
    },
  },
];
