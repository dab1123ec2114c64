import assert from 'node:assert/strict';
import type { ErrorCode } from '@bucketware/core';
import type { Answer } from '../../http/answer.js';
import type { Caller } from '../../http/server.js';
import type { Case, CaseContext } from '../case.js';
import type { DialectClient } from '../client.js';
import { APP, accessHeaders, newCorsBucket } from '../cors-tools.js';
import { codeOf } from '../failure.js';
import type { CorsRule } from '../settings.js';
import { absent, textOf } from '../tools.js';

const RULE: CorsRule = {
  allowedOrigins: [APP],
  allowedMethods: ['GET', 'PUT', 'DELETE', 'POST', 'HEAD'],
  exposedHeaders: ['ETag', 'x-svc-request-id'],
};

interface Attempt {
  readonly code: ErrorCode | 'done';
  readonly as?: Caller;
  /** Whether it is a change, which pages of other sites may not request. */
  readonly changes?: boolean;
  run(client: DialectClient, bucket: string): Promise<unknown>;
}

/** Actions on a bucket with the object `key`, with every kind of response. */
const ATTEMPTS: readonly Attempt[] = [
  { code: 'done', run: (client, bucket) => client.getObject(bucket, 'key') },
  { code: 'done', run: (client, bucket) => client.headObject(bucket, 'key') },
  {
    code: 'done',
    run: (client, bucket) => client.getObject(bucket, 'key', { range: 'bytes=0-1' }),
  },
  {
    code: 'NotModified',
    run: (client, bucket) => client.getObject(bucket, 'key', { conditions: { ifNoneMatch: '*' } }),
  },
  {
    code: 'PreconditionFailed',
    run: (client, bucket) => client.getObject(bucket, 'key', { conditions: { ifMatch: '"x"' } }),
  },
  {
    code: 'InvalidRange',
    run: (client, bucket) => client.getObject(bucket, 'key', { range: 'bytes=99-' }),
  },
  { code: 'NoSuchKey', run: (client, bucket) => client.getObject(bucket, 'absent') },
  { code: 'NoSuchKey', run: (client, bucket) => client.headObject(bucket, 'absent') },
  {
    ...{ code: 'AccessDenied', as: 'anonymous' },
    run: (client, bucket) => client.getObject(bucket, 'key'),
  },
  {
    ...{ code: 'AccessDenied', as: 'bob' },
    run: (client, bucket) => client.headObject(bucket, 'key'),
  },
  {
    ...{ code: 'AccessDenied', as: 'bob', changes: true },
    run: (client, bucket) => client.putObject(bucket, 'key', 'x'),
  },
  { code: 'InvalidURI', run: (client, bucket) => client.getObject(bucket, { encoded: '%ff' }) },
  { code: 'InvalidArgument', run: (client, bucket) => client.listObjects(bucket, { maxKeys: -1 }) },
  { code: 'done', run: (client, bucket) => client.listObjects(bucket) },
  { code: 'done', run: (client, bucket) => client.headBucket(bucket) },
  {
    ...{ code: 'BucketNotEmpty', changes: true },
    run: (client, bucket) => client.deleteBucket(bucket),
  },
  {
    ...{ code: 'BucketAlreadyExists', changes: true },
    run: (client, bucket) => client.createBucket(bucket, { acl: 'public-read' }),
  },
  {
    ...{ code: 'done', changes: true },
    run: (client, bucket) => client.putObject(bucket, 'other', 'x'),
  },
  {
    ...{ code: 'InvalidArgument', changes: true },
    run: (client, bucket) => client.putObject(bucket, 'other', 'x', { storageClass: 'none' }),
  },
  {
    ...{ code: 'done', changes: true },
    run: (client, bucket) => client.deleteObject(bucket, 'other'),
  },
  {
    ...{ code: 'done', changes: true },
    run: (client, bucket) => client.initiateUpload(bucket, 'key'),
  },
  {
    ...{ code: 'done', changes: true },
    run: (client, bucket) => client.deleteObjects(bucket, ['gone']),
  },
  { code: 'done', run: (client, bucket) => client.getCors(bucket) },
];

async function prepared(context: CaseContext, ...rules: readonly CorsRule[]): Promise<string> {
  const bucket = await (rules.length > 0 ? newCorsBucket(context, ...rules) : context.newBucket());
  await context.alice.putObject(bucket, 'key', 'bytes');
  return bucket;
}

/** The client of a page with this origin, which acts for the caller, and its last response. */
function page(client: DialectClient, origin: string | undefined) {
  const answers: Answer[] = [];
  const headers = origin === undefined ? {} : { origin };
  const speaking = client.with({ headers, observe: (answer) => answers.push(answer) });
  return { client: speaking, answers };
}

/** Makes every attempt from an origin, and passes each response on. */
async function each(
  context: CaseContext,
  bucket: string,
  origin: string | undefined,
  check: (answer: Answer, what: string) => void,
  foreign = false,
): Promise<void> {
  for (const { code, as = 'alice', changes = false, run } of ATTEMPTS) {
    const { client, answers } = page(context.as(as), origin);
    const what = `${run}`;
    const expected = foreign && changes ? 'AccessDenied' : code;
    assert.equal(await codeOf(run(client, bucket)), expected, what);
    assert.ok(answers[0]);
    check(answers[0], what);
  }
}

function readable(answer: Answer, what: string): void {
  assert.equal(answer.header('access-control-allow-origin'), APP, what);
  assert.equal(answer.header('access-control-allow-credentials'), 'true', what);
  const exposed = answer.list('access-control-expose-headers');
  assert.deepEqual(exposed, ['etag', 'x-svc-request-id'], what);
  assert.ok(answer.list('vary').includes('origin'), what);
}

function hidden(answer: Answer, what: string): void {
  assert.deepEqual(accessHeaders(answer), [], what);
  assert.ok(answer.list('vary').includes('origin'), what);
}

export const cases: readonly Case[] = [
  {
    id: 'cross-origin',
    name: 'a page of an allowed origin may read every response, including errors',
    prove: async (context) => each(context, await prepared(context, RULE), APP, readable),
  },
  {
    id: 'cross-origin-other',
    name: 'for other origins, responses have no access headers, and changes are not carried out',
    async prove(context) {
      const bucket = await prepared(context, RULE);
      for (const origin of ['https://evil.example', 'https://APP.example', 'null', `${APP}:1`]) {
        await each(context, bucket, origin, hidden, true);
      }
      assert.equal(await textOf(context.alice, bucket, 'key'), 'bytes');
      await absent(context.alice, bucket, 'other');
    },
  },
  {
    id: 'cross-origin-none',
    name: 'responses to requests without Origin have Vary: Origin, but no access headers',
    prove: async (context) => each(context, await prepared(context, RULE), undefined, hidden),
  },
  {
    id: 'cross-origin-no-rules',
    name: 'before any rule is set, responses do not mention origins',
    async prove(context) {
      const { alice } = context;
      const bucket = await prepared(context);
      const { client } = page(alice, APP);
      const silent = ({ http }: { readonly http: Answer }) => {
        assert.deepEqual(accessHeaders(http), []);
        assert.ok(!http.list('vary').includes('origin'));
      };
      silent(await client.getObject(bucket, 'key'));
      silent(await client.headObject(bucket, 'key'));
      await alice.putCors(bucket, [RULE]);
      readable((await client.getObject(bucket, 'key')).http, 'with rules');
      await alice.deleteCors(bucket);
      silent(await client.getObject(bucket, 'key'));
    },
  },
  {
    id: 'cross-origin-first-rule',
    name: 'an actual request uses the first rule for its origin and method, whatever its headers',
    async prove(context) {
      const bucket = await prepared(
        context,
        { allowedOrigins: [APP], allowedMethods: ['PUT'], exposedHeaders: ['x-put'] },
        { allowedOrigins: ['https://*'], allowedMethods: ['GET'], exposedHeaders: ['x-get'] },
        { allowedOrigins: ['*'], allowedMethods: ['GET', 'HEAD'] },
      );
      const run = {
        GET: (client: DialectClient) => client.getObject(bucket, 'key'),
        HEAD: (client: DialectClient) => client.headObject(bucket, 'key'),
        PUT: (client: DialectClient) => client.putObject(bucket, 'key', ''),
        DELETE: (client: DialectClient) => client.deleteObject(bucket, 'absent'),
      };
      const rows = [
        ['GET', APP, APP, 'x-get'],
        ['PUT', APP, APP, 'x-put'],
        ['HEAD', APP, '*', undefined],
        ['GET', 'http://b', '*', undefined],
        ['GET', 'null', '*', undefined],
        ['PUT', 'http://b', undefined, undefined],
        ['DELETE', APP, undefined, undefined],
      ] as const;
      for (const [method, origin, allowed, exposed] of rows) {
        const { client, answers } = page(context.alice, origin);
        await codeOf(run[method](client.with({ headers: { 'x-not-in-any-rule': '1' } })));
        const [answer] = answers;
        const allowOrigin = answer?.header('access-control-allow-origin');
        assert.equal(allowOrigin, allowed, `${method} ${origin}`);
        assert.equal(answer?.header('access-control-expose-headers'), exposed);
      }
    },
  },
  {
    id: 'cross-origin-is-no-access',
    name: 'a rule for every origin does not grant permission to read',
    async prove(context) {
      const bucket = await prepared(context, { ...RULE, allowedOrigins: ['*'] });
      for (const caller of [context.bob, context.anonymous]) {
        const { client, answers } = page(caller, APP);
        assert.equal(await codeOf(client.getObject(bucket, 'key')), 'AccessDenied');
        const [answer] = answers;
        assert.equal(answer?.header('access-control-allow-origin'), '*');
        assert.equal(answer?.header('access-control-allow-credentials'), undefined);
        assert.equal(answer?.header('etag'), undefined);
      }
    },
  },
];
