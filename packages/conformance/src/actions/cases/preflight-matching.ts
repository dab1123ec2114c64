import assert from 'node:assert/strict';
import type { Case, CaseContext } from '../case.js';
import { APP, accessHeaders, newCorsBucket, preflightOf } from '../cors-tools.js';
import { codeOf, fails } from '../failure.js';
import type { CorsAnswer, CorsRule, PreflightQuestion } from '../settings.js';

const RULE: CorsRule = { allowedOrigins: [APP], allowedMethods: ['GET', 'PUT'] };

/** UTF-8 as node:http expects it: one character for each byte. */
const raw = (text: string): string => Buffer.from(text).toString('latin1');

async function refused(preflight: Promise<CorsAnswer>): Promise<void> {
  const { http } = await fails(preflight, 'AccessDenied');
  assert.deepEqual(accessHeaders(http), []);
}

/** Asserts which preflights are allowed, and that the others are not. */
const answers =
  (
    rule: CorsRule,
    yes: readonly PreflightQuestion[],
    no: readonly PreflightQuestion[],
  ): Case['prove'] =>
  async (context: CaseContext) => {
    const bucket = await newCorsBucket(context, rule);
    const ask = (question: PreflightQuestion) =>
      preflightOf(context.anonymous, bucket, 'key', question);
    for (const question of yes) {
      assert.equal(await codeOf(ask(question)), 'done', JSON.stringify(question));
    }
    for (const question of no) {
      assert.equal(await codeOf(ask(question)), 'AccessDenied', JSON.stringify(question));
      await refused(ask(question));
    }
  };

const origins = (...values: readonly string[]) => values.map((origin) => ({ origin }));
const methods = (...values: readonly string[]) => values.map((method) => ({ method }));
const headers = (...values: readonly string[]) => values.map((names) => ({ headers: names }));

export const cases: readonly Case[] = [
  {
    id: 'preflight-origin',
    name: 'an origin matches an entry exactly, or the text around its *',
    prove: answers(
      {
        ...RULE,
        allowedOrigins: ['http://a.example', 'http://b.*', '*.c.example', 'http://d*:80', 'null'],
      },
      origins(
        ...['http://a.example', 'http://b.', 'http://b.x', 'https://x.c.example', '.c.example'],
        ...['http://d:80', 'http://dx:80', 'null'],
      ),
      origins(
        ...['http://A.example', 'HTTP://a.example', 'https://a.example', 'http://a.example.x'],
        ...['http://a.example:80', 'http://a.exampl', 'http://xa.example', 'http://b'],
        ...['https://c.example', 'http://x.C.example', 'http://d:8', 'http://d80', 'Null', '*'],
        ...['http://a.example, http://b.x', raw('http://a.e\u212aample')],
      ),
    ),
  },
  {
    id: 'preflight-any-origin',
    name: 'an entry of only * allows every origin, but no credentials',
    async prove(context) {
      const bucket = await newCorsBucket(context, { ...RULE, allowedOrigins: ['*'] });
      for (const origin of [APP, 'null', 'file://', 'chrome-extension://abc', 'https://x:1']) {
        const answer = await preflightOf(context.anonymous, bucket, 'key', { origin });
        assert.deepEqual([answer.allowOrigin, answer.allowCredentials], ['*', false]);
      }
    },
  },
  {
    id: 'preflight-overlapping-wildcard',
    name: 'the texts before and after a * must not overlap in an origin',
    prove: answers(
      { ...RULE, allowedOrigins: ['http://aba*ba'], allowedHeaders: ['x-aa*aa'] },
      [{ origin: 'http://ababa' }, { origin: 'http://ababa', headers: 'x-aaaa' }],
      [{ origin: 'http://aba' }, { origin: 'http://ababa', headers: 'x-aaa' }],
    ),
  },
  {
    id: 'preflight-method',
    name: 'a method must be one of the rule, and matches in upper case only',
    prove: answers(
      RULE,
      methods('GET', 'PUT'),
      methods('get', 'Put', 'POST', 'OPTIONS', '*', 'GET, PUT'),
    ),
  },
  {
    id: 'preflight-headers',
    name: 'every requested header must match an entry, in any ASCII case',
    prove: answers(
      { ...RULE, allowedHeaders: ['X-Key', 'x-svc-*', '*-Token'] },
      headers('x-key', 'X-KEY', 'x-SVC-acl', 'X-svc-', 'a-token, x-key', '-TOKEN'),
      headers(
        ...['x-keys', 'x-ke', 'key', 'x-key, y', 'y,x-key', 'xsvc-a', 'token', 'a-token-b'],
        ...[raw('x-\u212aey'), 'x-\xeb', '*'],
      ),
    ),
  },
  {
    id: 'preflight-first-whole-match',
    name: 'the first rule that matches in every respect applies, not the first for the origin',
    async prove(context) {
      const bucket = await newCorsBucket(
        context,
        { ...RULE, allowedMethods: ['GET'], maxAgeSeconds: 1 },
        { ...RULE, allowedHeaders: ['x-a'], maxAgeSeconds: 2 },
        { ...RULE, allowedOrigins: ['*'], allowedHeaders: ['x-*'], maxAgeSeconds: 3 },
        { ...RULE, allowedHeaders: ['*'], maxAgeSeconds: 4 },
      );
      const ask = (question: PreflightQuestion) =>
        preflightOf(context.anonymous, bucket, 'key', question);
      const rows: readonly (readonly [PreflightQuestion, number])[] = [
        [{ method: 'GET' }, 1],
        [{ method: 'PUT' }, 2],
        [{ method: 'GET', headers: 'x-a' }, 2],
        [{ headers: 'x-a, x-b' }, 3],
        [{ headers: 'x-a, b' }, 4],
        [{ origin: 'http://x', headers: 'x-b' }, 3],
      ];
      for (const [question, age] of rows) {
        assert.equal((await ask(question)).maxAge, age, JSON.stringify(question));
      }
      await refused(ask({ origin: 'http://x', headers: 'b' }));
      await refused(ask({ method: 'DELETE' }));
    },
  },
  {
    id: 'preflight-hostile',
    name: 'rules and preflights designed to take long are handled like any other',
    async prove(context) {
      const long = 'a'.repeat(90);
      const bucket = await newCorsBucket(context, {
        allowedOrigins: Array.from({ length: 80 }, () => `${long}*${long}b`),
        allowedMethods: ['GET'],
      });
      const ask = (origin: string) =>
        preflightOf(context.anonymous, bucket, 'key', { origin, method: 'GET' });
      for (let round = 0; round < 50; round++) {
        await fails(ask('a'.repeat(8000)), 'AccessDenied');
      }
      assert.equal((await ask(`${long}${long}b`)).allowOrigin, `${long}${long}b`);
    },
  },
  {
    id: 'preflight-many-headers',
    name: 'each of many headers in a preflight is compared with each of many entries',
    async prove(context) {
      const bucket = await newCorsBucket(context, {
        ...RULE,
        allowedHeaders: [...Array.from({ length: 1000 }, (_, at) => `a-${at}-*`), 'x-*'],
      });
      const names = Array.from({ length: 100 }, (_, at) => `x-${at}`);
      const ask = (list: readonly string[]) =>
        preflightOf(context.anonymous, bucket, 'key', { headers: list.join() });
      assert.deepEqual((await ask(names)).allowHeaders, names);
      await refused(ask([...names, 'b']));
    },
  },
];
