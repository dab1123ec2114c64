import assert from 'node:assert/strict';
import type { Answer, StorageClient } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';
import { accessHeaders, bucketWithCors, listIn, nested, putSetting } from '../wire/settings.js';
import { ask, type Question } from './preflight.js';

const ORIGIN = 'https://app.example';
const RULE = { allowedOrigins: [ORIGIN], allowedMethods: ['GET', 'PUT'] };

/** Bytes of UTF-8 as node:http takes them: one character for each. */
const raw = (text: string): string => Buffer.from(text).toString('latin1');

function refused(answer: Answer): void {
  answer.fails(403, 'AccessDenied');
  assert.deepEqual(accessHeaders(answer), []);
}

/** Asserts which of the questions are answered with yes. */
async function judge(
  storage: StorageClient,
  rules: readonly object[],
  rows: readonly (readonly [Question, boolean])[],
): Promise<void> {
  const bucket = await bucketWithCors(storage, ...rules);
  for (const [question, allowed] of rows) {
    const answer = await ask(storage, `/${bucket}/key`, question);
    assert.equal(answer.status, allowed ? 200 : 403, JSON.stringify(question));
    if (!allowed) refused(answer);
  }
}

export const cases: readonly HttpRule[] = [
  {
    id: 'preflight-origin',
    name: 'an origin matches letter for letter, or around the * of an entry',
    prove: (storage) =>
      judge(
        storage,
        [
          {
            ...RULE,
            allowedOrigins: [
              'http://a.example',
              'http://b.*',
              '*.c.example',
              'http://d*:80',
              'null',
            ],
          },
        ],
        [
          ...['http://a.example', 'http://b.', 'http://b.x', 'https://x.c.example', '.c.example'],
          ...['http://d:80', 'http://dx:80', 'null'],
        ]
          .map((origin): [Question, boolean] => [{ origin }, true])
          .concat(
            [
              ...[
                'http://A.example',
                'HTTP://a.example',
                'https://a.example',
                'http://a.example.x',
              ],
              ...['http://a.example:80', 'http://a.exampl', 'http://xa.example', 'http://b'],
              ...[
                'https://c.example',
                'http://x.C.example',
                'http://d:8',
                'http://d80',
                'Null',
                '*',
              ],
              ...['http://a.example, http://b.x', raw('http://a.e\u212aample')],
            ].map((origin) => [{ origin }, false]),
          ),
      ),
  },
  {
    id: 'preflight-any-origin',
    name: 'a single * allows every origin, and no credentials',
    async prove(storage) {
      const bucket = await bucketWithCors(storage, { ...RULE, allowedOrigins: ['*'] });
      for (const origin of [ORIGIN, 'null', 'file://', 'chrome-extension://abc', 'https://x:1']) {
        const answer = (await ask(storage, `/${bucket}/key`, { origin })).is(200);
        assert.equal(answer.header('access-control-allow-origin'), '*');
        assert.equal(answer.header('access-control-allow-credentials'), undefined);
      }
    },
  },
  {
    id: 'preflight-overlapping-wildcard',
    name: 'what stands before and behind a * must not share a letter',
    prove: (storage) =>
      judge(
        storage,
        [{ ...RULE, allowedOrigins: ['http://aba*ba'], allowedHeaders: ['x-aa*aa'] }],
        [
          [{ origin: 'http://aba' }, false],
          [{ origin: 'http://ababa' }, true],
          [{ origin: 'http://ababa', headers: 'x-aaa' }, false],
          [{ origin: 'http://ababa', headers: 'x-aaaa' }, true],
        ],
      ),
  },
  {
    id: 'preflight-method',
    name: 'a method matches in capitals only, and must be one of the rule',
    prove: (storage) =>
      judge(
        storage,
        [RULE],
        [
          ...['GET', 'PUT'].map((method): [Question, boolean] => [{ method }, true]),
          ...['get', 'Put', 'POST', 'OPTIONS', '*', 'GET, PUT'].map(
            (method): [Question, boolean] => [{ method }, false],
          ),
        ],
      ),
  },
  {
    id: 'preflight-headers',
    name: 'every header that is asked for must match an entry, in whatever capitals of ASCII',
    prove: (storage) =>
      judge(
        storage,
        [{ ...RULE, allowedHeaders: ['X-Key', 'x-svc-*', '*-Token'] }],
        [
          ...['x-key', 'X-KEY', 'x-SVC-acl', 'X-svc-', 'a-token, x-key', '-TOKEN'].map(
            (headers): [Question, boolean] => [{ headers }, true],
          ),
          ...['x-keys', 'x-ke', 'key', 'x-key, y', 'y,x-key', 'xsvc-a', 'token', 'a-token-b'].map(
            (headers): [Question, boolean] => [{ headers }, false],
          ),
          [{ headers: raw('x-\u212aey') }, false],
          [{ headers: 'x-\xeb' }, false],
          [{ headers: '*' }, false],
        ],
      ),
  },
  {
    id: 'preflight-first-whole-match',
    name: 'of several rules the first that matches in every point is taken, not the first of its origin',
    async prove(storage) {
      const bucket = await bucketWithCors(
        storage,
        { ...RULE, allowedMethods: ['GET'], maxAgeSeconds: 1 },
        { ...RULE, allowedHeaders: ['x-a'], maxAgeSeconds: 2 },
        { ...RULE, allowedOrigins: ['*'], allowedHeaders: ['x-*'], maxAgeSeconds: 3 },
        { ...RULE, allowedHeaders: ['*'], maxAgeSeconds: 4 },
      );
      const rows: readonly (readonly [Question, string])[] = [
        [{ method: 'GET' }, '1'],
        [{ method: 'PUT' }, '2'],
        [{ method: 'GET', headers: 'x-a' }, '2'],
        [{ headers: 'x-a, x-b' }, '3'],
        [{ headers: 'x-a, b' }, '4'],
        [{ origin: 'http://x', headers: 'x-b' }, '3'],
      ];
      for (const [question, age] of rows) {
        const answer = (await ask(storage, `/${bucket}/key`, question)).is(200);
        assert.equal(answer.header('access-control-max-age'), age, JSON.stringify(question));
      }
      refused(await ask(storage, `/${bucket}/key`, { origin: 'http://x', headers: 'b' }));
      refused(await ask(storage, `/${bucket}/key`, { method: 'DELETE' }));
    },
  },
  {
    id: 'preflight-hostile',
    name: 'rules and questions that are made to take long are answered as any other',
    async prove(storage) {
      const long = 'a'.repeat(90);
      const bucket = await bucketWithCors(storage, {
        allowedOrigins: Array.from({ length: 80 }, () => `${long}*${long}b`),
        allowedMethods: ['GET'],
      });
      const origin = 'a'.repeat(8000);
      for (let round = 0; round < 50; round++) {
        const answer = await ask(storage, `/${bucket}/key`, { origin, method: 'GET' });
        answer.fails(403, 'AccessDenied');
      }
      const deep = await putSetting(storage, `/${bucket}`, 'cors', nested(10_240));
      deep.fails(400, 'InappropriateJSON');
      (await ask(storage, `/${bucket}/key`, { origin: `${long}${long}b`, method: 'GET' })).is(200);
    },
  },
  {
    id: 'preflight-many-headers',
    name: 'each of many headers that a preflight names is held against each of many entries',
    async prove(storage) {
      const bucket = await bucketWithCors(storage, {
        ...RULE,
        allowedHeaders: [...Array.from({ length: 1000 }, (_, at) => `a-${at}-*`), 'x-*'],
      });
      const names = Array.from({ length: 100 }, (_, at) => `x-${at}`);
      const answer = await ask(storage, `/${bucket}/key`, { headers: names.join() });
      assert.deepEqual(listIn(answer.is(200), 'access-control-allow-headers'), names);
      refused(await ask(storage, `/${bucket}/key`, { headers: [...names, 'b'].join() }));
    },
  },
];
