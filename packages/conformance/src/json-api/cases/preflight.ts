import assert from 'node:assert/strict';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Answer, Caller, StorageClient } from '../wire/client.js';
import { send } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';
import { bucketWithCors, nested, putSetting } from '../wire/settings.js';

const ORIGIN = 'https://app.example';
const RULE = { allowedOrigins: [ORIGIN], allowedMethods: ['GET', 'PUT'] };

/** What a browser states in a preflight, before it sends a request from another origin. */
interface Question {
  readonly origin?: string;
  readonly method?: string;
  readonly headers?: string;
  readonly as?: Caller;
}

function ask(
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
    id: 'preflight-of-each-operation',
    name: 'a preflight gets the same response whatever its query',
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
    id: 'preflight-host-style',
    name: 'a preflight in host style applies to the bucket in the Host header',
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
  {
    id: 'json-preflight-hostile',
    name: 'deeply nested rules are 400 InappropriateJSON',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const deep = await putSetting(storage, `/${bucket}`, 'cors', nested(10_240));
      deep.fails(400, 'InappropriateJSON');
    },
  },
];
