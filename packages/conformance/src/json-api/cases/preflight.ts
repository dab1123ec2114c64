import assert from 'node:assert/strict';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Answer, Caller, StorageClient } from '../wire/client.js';
import { send } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';
import { accessHeaders, bucketWithCors, listIn, putSetting } from '../wire/settings.js';

const ORIGIN = 'https://app.example';
const RULE = { allowedOrigins: [ORIGIN], allowedMethods: ['GET', 'PUT'] };

/** What a browser asks before it sends a request from another origin. */
export interface Question {
  readonly origin?: string;
  readonly method?: string;
  readonly headers?: string;
  readonly as?: Caller;
}

export function ask(
  storage: StorageClient,
  path: string,
  { origin = ORIGIN, method = 'PUT', headers, as = 'anonymous' }: Question = {},
): Promise<Answer> {
  const all: OutgoingHttpHeaders = { origin, 'access-control-request-method': method };
  if (headers !== undefined) all['access-control-request-headers'] = headers;
  return storage.send({ method: 'OPTIONS', path, as, headers: all });
}

export const cases: readonly HttpRule[] = [
  {
    id: 'preflight',
    name: 'a preflight that a rule allows is 200 without a body, with everything that the rule says',
    async prove(storage) {
      const bucket = await bucketWithCors(storage, {
        allowedOrigins: ['https://*.example'],
        allowedMethods: ['GET', 'PUT', 'POST', 'DELETE'],
        allowedHeaders: ['x-svc-*', 'authorization', 'content-type'],
        allowedExposeHeaders: ['ETag', 'x-svc-request-id'],
        maxAgeSeconds: 600,
      });
      for (const path of [`/${bucket}/a/key`, `/${bucket}/key`, `/${bucket}`, `/${bucket}/`]) {
        const headers = 'Authorization, x-svc-META-a,content-type';
        const answer = (await ask(storage, path, { headers })).is(200);
        assert.equal(answer.body.length, 0);
        assert.equal(answer.header('access-control-allow-origin'), ORIGIN);
        assert.equal(answer.header('access-control-allow-credentials'), 'true');
        const methods = listIn(answer, 'access-control-allow-methods');
        assert.deepEqual(methods, ['get', 'put', 'post', 'delete']);
        const allowed = answer.header('access-control-allow-headers')?.replaceAll(', ', ',');
        assert.equal(allowed, 'Authorization,x-svc-META-a,content-type');
        const exposed = listIn(answer, 'access-control-expose-headers');
        assert.deepEqual(exposed, ['etag', 'x-svc-request-id']);
        assert.equal(answer.header('access-control-max-age'), '600');
        assert.ok(answer.header('x-svc-request-id'));
      }
    },
  },
  {
    id: 'preflight-bare',
    name: 'what a rule does not say and what was not asked stands in no header',
    async prove(storage) {
      const rule = { ...RULE, allowedHeaders: ['*'] };
      const bucket = await bucketWithCors(storage, rule);
      for (const headers of [undefined, '', ' , ,']) {
        const question = headers === undefined ? {} : { headers };
        const answer = (await ask(storage, `/${bucket}/key`, question)).is(200);
        assert.deepEqual(
          accessHeaders(answer)
            .map((name) => name.toLowerCase())
            .sort(),
          [
            'access-control-allow-credentials',
            'access-control-allow-methods',
            'access-control-allow-origin',
          ],
        );
      }
      const zero = await bucketWithCors(storage, { ...RULE, maxAgeSeconds: 0 });
      const answer = (await ask(storage, `/${zero}/key`)).is(200);
      assert.equal(answer.header('access-control-max-age'), '0');
    },
  },
  {
    id: 'preflight-vary',
    name: 'Vary names what a preflight depends on, allowed or not',
    async prove(storage) {
      const bucket = await bucketWithCors(storage, RULE);
      for (const question of [{}, { origin: 'https://other.example' }, { method: 'DELETE' }]) {
        const vary = listIn(await ask(storage, `/${bucket}/key`, question), 'vary');
        assert.deepEqual(vary.sort(), [
          'access-control-request-headers',
          'access-control-request-method',
          'origin',
        ]);
      }
    },
  },
  {
    id: 'preflight-of-each-operation',
    name: 'a browser may ask about every request: whatever its query, the answer is the same',
    async prove(storage) {
      const bucket = await bucketWithCors(storage, {
        ...RULE,
        allowedMethods: ['GET', 'PUT', 'POST', 'DELETE', 'HEAD'],
        allowedHeaders: ['*'],
      });
      const onObject = ['acl', 'uploads', 'append', 'append&offset=3', 'uploadId=x', 'a=b'];
      onObject.push('partNumber=1&uploadId=x', 'responseContentType=text%2Fplain');
      const onBucket = ['acl', 'cors', 'lifecycle', 'delete', 'uploads', 'location', 'prefix=a'];
      const paths = [
        ...onObject.map((query) => `/${bucket}/key?${query}`),
        ...onBucket.map((query) => `/${bucket}?${query}`),
      ];
      for (const path of paths) {
        for (const method of ['GET', 'PUT', 'POST', 'DELETE', 'HEAD']) {
          const headers = 'x-svc-copy-source, x-svc-rename-key, authorization';
          const answer = await ask(storage, path, { method, headers });
          assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`);
          assert.equal(answer.header('access-control-allow-origin'), ORIGIN);
        }
      }
    },
  },
  {
    id: 'preflight-no-rules',
    name: 'before any rule is set and after they are deleted every preflight is 403 AccessDenied',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const refused = async () => {
        for (const path of [`/${bucket}`, `/${bucket}/key`]) {
          const answer = (await ask(storage, path)).fails(403, 'AccessDenied');
          assert.deepEqual(accessHeaders(answer), []);
        }
      };
      await refused();
      (await putSetting(storage, `/${bucket}`, 'cors', { corsConfiguration: [RULE] })).is(200);
      (await ask(storage, `/${bucket}/key`)).is(200);
      (await storage.delete(`/${bucket}?cors`)).is(204);
      await refused();
    },
  },
  {
    id: 'preflight-incomplete',
    name: 'a preflight without Origin or without Access-Control-Request-Method is 400 InvalidArgument',
    async prove(storage) {
      const bucket = await bucketWithCors(storage, RULE);
      const method = { 'access-control-request-method': 'PUT' };
      for (const headers of [
        {},
        { origin: ORIGIN },
        method,
        { ...method, origin: '' },
        { origin: ORIGIN, 'access-control-request-method': '' },
      ]) {
        for (const path of [`/${bucket}`, `/${bucket}/key`]) {
          const answer = await storage.send({ method: 'OPTIONS', path, headers });
          answer.fails(400, 'InvalidArgument');
          assert.deepEqual(accessHeaders(answer), []);
        }
      }
    },
  },
  {
    id: 'preflight-anybody',
    name: 'a preflight asks nobody who they are: credentials neither help nor harm',
    async prove(storage) {
      const bucket = await bucketWithCors(storage, RULE);
      (await storage.put(`/${bucket}/key`, 'mine')).is(200);
      for (const as of ['alice', 'bob', 'anonymous'] as const) {
        for (const key of ['key', 'absent']) {
          (await ask(storage, `/${bucket}/${key}`, { as })).is(200);
          const answer = await ask(storage, `/${bucket}/${key}`, { as, method: 'DELETE' });
          answer.fails(403, 'AccessDenied');
        }
      }
      assert.equal((await storage.get(`/${bucket}/key`)).is(200).text, 'mine');
    },
  },
  {
    id: 'preflight-no-bucket',
    name: 'a preflight for a bucket that does not exist is 404 NoSuchBucket',
    async prove(storage) {
      const bucket = storage.newName();
      for (const path of [`/${bucket}`, `/${bucket}/key`]) {
        const answer = (await ask(storage, path)).fails(404, 'NoSuchBucket');
        assert.deepEqual(accessHeaders(answer), []);
      }
      (await ask(storage, '/A_b/key')).fails(400, 'InvalidBucketName');
    },
  },
  {
    id: 'preflight-host-style',
    name: 'a preflight in host style is about the bucket in the Host header',
    async prove(storage) {
      const { bucketUrl } = storage.server;
      if (bucketUrl === undefined) return;
      const bucket = await bucketWithCors(storage, RULE);
      const { url, host } = bucketUrl(bucket);
      const { origin, pathname } = new URL(url);
      for (const path of ['/', '/key', '/a/b?partNumber=1&uploadId=x']) {
        for (const [method, status] of [
          ['PUT', 200],
          ['DELETE', 403],
        ] as const) {
          const headers = { host, origin: ORIGIN, 'access-control-request-method': method };
          const to = (pathname === '/' ? '' : pathname) + path;
          const answer = await send({ origin, method: 'OPTIONS', path: to, headers });
          answer.is(status);
          const echoed = answer.header('access-control-allow-origin');
          assert.equal(echoed, status === 200 ? ORIGIN : undefined);
        }
      }
    },
  },
];
