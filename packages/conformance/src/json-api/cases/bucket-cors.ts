import assert from 'node:assert/strict';
import type { StorageClient } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';
import {
  BOB,
  bucketWithCors,
  EVERYBODY,
  grant,
  nested,
  padded,
  putSetting,
} from '../wire/settings.js';

const RULE = { allowedOrigins: ['https://app.example'], allowedMethods: ['GET'] };

const FULL = {
  allowedOrigins: ['https://*.example', 'http://localhost:3000', 'null'],
  allowedMethods: ['GET', 'PUT', 'DELETE', 'POST', 'HEAD'],
  allowedHeaders: ['x-svc-*', 'Authorization', '*'],
  allowedExposeHeaders: ['ETag', 'x-svc-request-id'],
  maxAgeSeconds: 3600,
};

const rulesOf = (...corsConfiguration: readonly unknown[]) => ({ corsConfiguration });
const ruleWith = (fields: object) => rulesOf({ ...RULE, ...fields });

const put = (storage: StorageClient, bucket: string, body: unknown) =>
  putSetting(storage, `/${bucket}`, 'cors', body);

/** Asserts that each body is rejected, and that the previous rules stay. */
async function refuse(
  storage: StorageClient,
  bodies: readonly unknown[],
  code: string,
): Promise<void> {
  const bucket = await bucketWithCors(storage, RULE);
  for (const body of bodies) {
    const answer = await put(storage, bucket, body);
    assert.equal(answer.status, 400, `took ${JSON.stringify(body).slice(0, 200)}`);
    answer.fails(400, code);
  }
  const { json } = (await storage.get(`/${bucket}?cors`)).is(200);
  assert.deepEqual(json, rulesOf(RULE));
}

const NO_LISTS = [null, 'GET', 1, true, {}, [1], [null], [['GET']], ['GET', {}]];

const WRONG = [
  ...['null', '1', '"*"', '{}', '[]', '{"corsConfiguration":null}', '{"corsConfiguration":{}}'],
  ...['{"corsConfiguration":"*"}', '{"corsConfiguration":[]}', '{"CORSConfiguration":[]}'],
  ...[nested(10_000), `{"corsConfiguration":${nested(10_000)}}`],
  ...[null, 1, 'a', [], {}].map((rule) => rulesOf(RULE, rule)),
  ...[...NO_LISTS, [], undefined].flatMap((value) => [
    ruleWith({ allowedOrigins: value }),
    ruleWith({ allowedMethods: value }),
  ]),
  ...NO_LISTS.flatMap((value) => [
    ruleWith({ allowedHeaders: value }),
    ruleWith({ allowedExposeHeaders: value }),
  ]),
  ...['get', 'Put', 'OPTIONS', 'PATCH', 'TRACE', '*', '', 'GET ', 'GET,PUT'].map((method) =>
    ruleWith({ allowedMethods: ['GET', method] }),
  ),
  ...['3600', null, true, [1], {}].map((maxAgeSeconds) => ruleWith({ maxAgeSeconds })),
];

const INVALID = [
  ...['**', 'https://*.*', '*a*', `${'*a'.repeat(5000)}`].flatMap((entry) => [
    ruleWith({ allowedOrigins: [entry] }),
    ruleWith({ allowedHeaders: ['x-ok', entry] }),
  ]),
  ...['*', 'x-svc-*', '*-id'].map((name) => ruleWith({ allowedExposeHeaders: ['ETag', name] })),
  ...[-1, -0.5, 1.5, 1e300, 2 ** 53].map((maxAgeSeconds) => ruleWith({ maxAgeSeconds })),
  // A line break or another character that headers cannot contain must not be returned in one.
  ...['a\r\nb', 'a b', '', 'a,b', 'a:b', 'x-\u212aey', 'x-é'].flatMap((name) => [
    ruleWith({ allowedHeaders: [name] }),
    ruleWith({ allowedExposeHeaders: [name] }),
  ]),
  ...['https://a\r\nx: y', 'https://a b', '', 'https://ü.example'].map((origin) =>
    ruleWith({ allowedOrigins: [origin] }),
  ),
];

export const cases: readonly HttpRule[] = [
  {
    id: 'json-cors-put',
    name: 'PutBucketCors returns 200 without a body, and GetBucketCors returns the rules as they were set',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const lists = [[RULE], [FULL, RULE], [{ ...RULE, maxAgeSeconds: 0, allowedHeaders: [] }]];
      for (const rules of lists) {
        const answer = (await put(storage, bucket, rulesOf(...rules))).is(200);
        assert.equal(answer.body.length, 0);
        assert.equal(answer.header('content-length'), '0');
        const { json } = (await storage.get(`/${bucket}?cors`)).is(200);
        assert.deepEqual(json, rulesOf(...rules));
      }
    },
  },
  {
    id: 'cors-malformed',
    name: 'rules that are not JSON are 400 MalformedJSON, and the old rules stay',
    prove: (storage) =>
      refuse(storage, ['', '{', '[', '{"a":1,}', "{'a':1}", '<a/>'], 'MalformedJSON'),
  },
  {
    id: 'cors-wrong',
    name: 'rules with the wrong structure are 400 InappropriateJSON, and the old rules stay',
    prove: (storage) => refuse(storage, WRONG, 'InappropriateJSON'),
  },
  {
    id: 'cors-invalid',
    name: 'two *, a * in an exposed header, a negative age and characters that headers cannot contain are 400 InvalidArgument',
    prove: (storage) => refuse(storage, INVALID, 'InvalidArgument'),
  },
  {
    id: 'json-cors-too-many',
    name: 'a bucket may have 100 rules; 101 are 400 InvalidArgument, and the old rules stay',
    async prove(storage) {
      const rules = Array.from({ length: 101 }, (_, at) => ({
        allowedOrigins: [`https://${at}.example`],
        allowedMethods: ['GET'],
      }));
      await refuse(storage, [rulesOf(...rules)], 'InvalidArgument');
      const bucket = await bucketWithCors(storage, ...rules.slice(1));
      const { corsConfiguration } = (await storage.get(`/${bucket}?cors`)).is(200).json;
      assert.deepEqual(corsConfiguration, rules.slice(1));
    },
  },
  {
    id: 'cors-too-large',
    name: 'a body of 20 KB is accepted; one byte more is 400 EntityTooLarge, and the old rules stay',
    async prove(storage) {
      const bucket = await bucketWithCors(storage, RULE);
      const over = Buffer.from(padded(rulesOf(FULL), 20_481));
      for (const body of [over, [over], Buffer.alloc(20_481, '['), [Buffer.alloc(200_000, '[')]]) {
        const request = { method: 'PUT', path: `/${bucket}?cors`, body };
        (await storage.send(request)).fails(400, 'EntityTooLarge');
      }
      assert.deepEqual((await storage.get(`/${bucket}?cors`)).json, rulesOf(RULE));
      (await put(storage, bucket, padded(rulesOf(FULL), 20_480))).is(200);
      assert.deepEqual((await storage.get(`/${bucket}?cors`)).json, rulesOf(FULL));
    },
  },
  {
    id: 'cors-unknown-fields',
    name: 'unknown fields are ignored and not returned',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const rule = { ...RULE, id: 'x', maxAge: -1, deep: [[[]]] };
      (await put(storage, bucket, { version: 1, ...rulesOf(rule) })).is(200);
      assert.deepEqual((await storage.get(`/${bucket}?cors`)).json, rulesOf(RULE));
    },
  },
  {
    id: 'json-cors-access',
    name: 'PutBucketCors without FULL_CONTROL is 403 AccessDenied, even with rules that are invalid or too large',
    async prove(storage) {
      const bucket = await bucketWithCors(storage, RULE);
      const path = `/${bucket}`;
      const list = { accessControlList: [grant(EVERYBODY, 'READ', 'LIST', 'WRITE', 'MODIFY')] };
      (await putSetting(storage, path, 'acl', list)).is(200);
      for (const as of ['bob', 'anonymous'] as const) {
        for (const body of [rulesOf(FULL), '{', Buffer.alloc(30_000, 'x').toString()]) {
          (await putSetting(storage, path, 'cors', body, as)).fails(403, 'AccessDenied');
        }
      }
      assert.deepEqual((await storage.get(`${path}?cors`)).json, rulesOf(RULE));
      const full = { accessControlList: [grant(BOB, 'FULL_CONTROL')] };
      (await putSetting(storage, path, 'acl', full)).is(200);
      (await putSetting(storage, path, 'cors', rulesOf(FULL), 'bob')).is(200);
    },
  },
];
