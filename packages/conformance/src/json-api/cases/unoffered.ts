import assert from 'node:assert/strict';
import type { Answer } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';

/** Queries for unsupported features, on a bucket with the object `key`. */
const QUERIES = ['versionId=1', 'versionId', 'tagging', 'tagging=', 'encryption', 'versioning'];
const FEATURES = ['logging', 'website', 'replication', 'restore', 'symlink', 'versions', 'select'];

const HEADERS = {
  'x-svc-fetch-source': 'http://127.0.0.1:1/secret',
  'x-svc-server-side-encryption': 'AES256',
  'x-svc-tagging': 'a=b',
  'x-svc-symlink-target': 'key',
};

function refused(answer: Answer, method: string, what: string): void {
  const { status } = answer;
  assert.ok(status === 501 || status === 405, `${method} ${what} returned ${status}`);
  const code = status === 501 ? 'NotImplemented' : 'MethodNotAllowed';
  if (method === 'HEAD') answer.failsBare(status);
  else answer.fails(status, code);
}

export const cases: readonly HttpRule[] = [
  {
    id: 'unoffered-object-query',
    name: 'a query that requests an unsupported feature of an object is 501 or 405, never another operation',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      const body = 'overwritten';
      (await storage.put(path, 'whole')).is(200);
      for (const query of [...QUERIES, ...FEATURES, 'fetch', 'prefix=a&versionId=1']) {
        for (const method of ['GET', 'HEAD', 'PUT', 'POST', 'DELETE']) {
          const answer = await storage.send({ method, path: `${path}?${query}`, body });
          refused(answer, method, query);
        }
      }
      assert.equal((await storage.get(path)).is(200).text, 'whole');
    },
  },
  {
    id: 'unoffered-bucket-query',
    name: 'a query that requests an unsupported feature of a bucket is 501 or 405, never another operation',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const fresh = storage.newName();
      for (const query of [...QUERIES, ...FEATURES, 'quota', 'notification', 'trash']) {
        for (const method of ['GET', 'HEAD', 'PUT', 'POST', 'DELETE']) {
          const answer = await storage.send({ method, path: `/${bucket}?${query}`, body: '{}' });
          refused(answer, method, query);
        }
        const created = await storage.send({ method: 'PUT', path: `/${fresh}?${query}` });
        assert.ok(created.status >= 400);
      }
      (await storage.head(`/${bucket}`)).is(200);
      (await storage.head(`/${fresh}`)).failsBare(404);
    },
  },
  {
    id: 'unoffered-headers',
    name: 'a header that requests an unsupported feature is 501 or 405, and nothing is stored or fetched',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key`, 'whole')).is(200);
      for (const [name, value] of Object.entries(HEADERS)) {
        for (const key of ['key', 'new']) {
          const answer = await storage.put(`/${bucket}/${key}`, 'x', { [name]: value });
          refused(answer, 'PUT', name);
        }
      }
      assert.equal((await storage.get(`/${bucket}/key`)).is(200).text, 'whole');
      (await storage.head(`/${bucket}/new`)).failsBare(404);
    },
  },
  {
    id: 'unoffered-fetch',
    name: 'FetchObject is not supported: no request makes the server call another one',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const headers = {
        'x-svc-fetch-source': `${storage.server.url}/`,
        'x-svc-fetch-mode': 'sync',
      };
      for (const query of ['fetch', 'fetch=']) {
        const path = `/${bucket}/key?${query}`;
        refused(await storage.send({ method: 'POST', path, headers }), 'POST', query);
      }
      (await storage.head(`/${bucket}/key`)).failsBare(404);
    },
  },
  {
    id: 'unoffered-version-in-batch',
    name: 'a versionId in a list of objects to delete is rejected, and nothing is deleted',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key`, 'whole')).is(200);
      const body = '{"objects":[{"key":"key"},{"key":"key","versionId":"1"}]}';
      const answer = await storage.send({ method: 'POST', path: `/${bucket}?delete`, body });
      answer.fails(501, 'NotImplemented');
      assert.equal((await storage.get(`/${bucket}/key`)).is(200).text, 'whole');
    },
  },
];
