import { type AccessQuestion, type HandlerOptions, StorageError } from '@bucketware/core';
import { storageMiddleware } from '@bucketware/koa';
import test, { type ExecutionContext } from 'ava';
import Koa from 'koa';
import { call } from './raw.js';
import { alice, bob, listen, memoryStorage, onKoa, principalOf } from './servers.js';

interface Served {
  readonly origin: string;
  /** Returns the calls of `authorize` since the last call of this function. */
  takeQuestions(): unknown[];
}

async function serve(
  t: ExecutionContext,
  rule: (question: AccessQuestion) => boolean | Promise<boolean>,
  options: HandlerOptions = {},
): Promise<Served> {
  const storage = await memoryStorage();
  const questions: AccessQuestion[] = [];
  const authorize = (question: AccessQuestion) => {
    questions.push(question);
    return rule(question);
  };
  const { origin, close } = await listen(onKoa(storage, { ...options, authorize }));
  t.teardown(close);
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  for (const key of ['a', 'b']) {
    await storage.as(alice).putObject({ bucket: 'bucket', key, body: key });
  }
  return { origin, takeQuestions: () => JSON.parse(JSON.stringify(questions.splice(0))) };
}

test('authorize is called exactly once for each bucket or object of a request', async (t) => {
  const { origin, takeQuestions } = await serve(t, ({ allowed }) => allowed);
  const object = (operation: string, permission: string, key: string) => ({
    ...{
      operation,
      permission,
      bucket: 'bucket',
      key,
      source: false,
      principal: alice,
      allowed: true,
    },
  });
  const bucket = (operation: string, permission: string, name = 'bucket') => ({
    ...{ operation, permission, bucket: name, source: false, principal: alice, allowed: true },
  });
  const rows = [
    [
      'GET',
      '/',
      [
        {
          operation: 'ListBuckets',
          permission: 'LIST',
          source: false,
          principal: alice,
          allowed: true,
        },
      ],
    ],
    ['PUT', '/other', [bucket('PutBucket', 'CREATE', 'other')]],
    ['HEAD', '/bucket', [bucket('HeadBucket', 'READ')]],
    ['GET', '/bucket?location', [bucket('GetBucketLocation', 'READ')]],
    ['GET', '/bucket?prefix=secret', [bucket('ListObjects', 'LIST')]],
    ['DELETE', '/bucket', [bucket('DeleteBucket', 'FULL_CONTROL')]],
    ['PUT', '/bucket/a%2F..%2Fb', [{ ...object('PutObject', 'WRITE', 'a/../b'), size: 0 }]],
    ['GET', '/bucket/a', [object('GetObject', 'READ', 'a')]],
    ['GET', '/v1/bucket/a', [object('GetObject', 'READ', 'a')]],
    ['HEAD', '/bucket/a', [object('GetObjectMeta', 'READ', 'a')]],
    ['GET', '/bucket/a/%2e%2e/b', [object('GetObject', 'READ', 'a/../b')]],
    ['DELETE', '/bucket/%252e', [object('DeleteObject', 'WRITE', '%2e')]],
  ] as const;
  for (const [method, path, expected] of rows) {
    const headers = method === 'PUT' ? { 'content-length': 0 } : {};
    await call(origin, method, path, { headers });
    t.deepEqual(takeQuestions(), [...expected], `${method} ${path}`);
  }
});

test('authorize is called once for each object of a batch, even if it is listed twice', async (t) => {
  const { origin, takeQuestions } = await serve(t, ({ key, allowed }) => allowed && key !== 'b');
  const objects = ['a', 'b', 'no', 'a', 'b'].map((key) => ({ key }));
  const body = JSON.stringify({ objects });
  const answer = await call(origin, 'POST', '/bucket?delete', { body });
  const questions = takeQuestions() as { operation: string; permission: string; key: string }[];
  t.deepEqual(questions.map(({ key }) => key).sort(), ['a', 'b', 'no']);
  for (const { operation, permission } of questions) {
    t.deepEqual([operation, permission], ['DeleteMultipleObjects', 'WRITE']);
  }
  const failed = JSON.parse(answer.text).errors.map(
    ({ key, code }: { key: string; code: string }) => `${key} ${code}`,
  );
  t.deepEqual(failed.sort(), ['b AccessDenied', 'no NoSuchKey']);
  t.is((await call(origin, 'GET', '/bucket/a')).status, 404);
});

test('authorize gets the default decision and the caller', async (t) => {
  const { origin, takeQuestions } = await serve(t, ({ allowed }) => allowed);
  for (const [as, principal] of [
    ['bob', bob],
    ['', undefined],
  ] as const) {
    t.is((await call(origin, 'GET', '/bucket/a', { as })).status, 403);
    const [question] = takeQuestions() as AccessQuestion[];
    t.deepEqual([question?.principal, question?.allowed], [principal, false]);
  }
});

test('authorize can tighten the default rule, and replace it', async (t) => {
  const tight = await serve(t, ({ operation, allowed }) => allowed && operation === 'GetObject');
  t.is((await call(tight.origin, 'GET', '/bucket/a')).text, 'a');
  t.is((await call(tight.origin, 'HEAD', '/bucket/a')).status, 403);
  t.is((await call(tight.origin, 'DELETE', '/bucket/a')).status, 403);
  t.is((await call(tight.origin, 'GET', '/bucket/a', { as: 'bob' })).status, 403);

  const open = await serve(t, async ({ permission }) => permission === 'READ');
  t.is((await call(open.origin, 'GET', '/bucket/a', { as: 'bob' })).text, 'a');
  t.is((await call(open.origin, 'GET', '/bucket/a', { as: '' })).text, 'a');
  t.is((await call(open.origin, 'GET', '/bucket', { as: 'bob' })).status, 403);
  t.is((await call(open.origin, 'DELETE', '/bucket/a')).status, 403);
});

test('if authorize throws, access is denied and onError is called', async (t) => {
  const seen: unknown[] = [];
  const onError: HandlerOptions['onError'] = (error, { operation }) => seen.push(error, operation);
  const mishap = new Error('the rule has a bug');
  const rule = () => {
    throw mishap;
  };
  const { origin } = await serve(t, rule, { onError });
  const answer = await call(origin, 'GET', '/bucket/a');
  t.is(answer.status, 500);
  t.is(JSON.parse(answer.text).code, 'InternalError');
  t.false(answer.text.includes('bug'));
  t.deepEqual(seen, [mishap, 'GetObject']);
});

test('an error that authorize got from the storage does not become the response', async (t) => {
  const seen: unknown[] = [];
  const onError: HandlerOptions['onError'] = (error) => seen.push((error as StorageError).code);
  const rule = () => Promise.reject(new StorageError('NoSuchKey'));
  const { origin } = await serve(t, rule, { onError });
  const body = '{"objects":[{"key":"a"}]}';
  const answers = [
    await call(origin, 'GET', '/bucket/a'),
    await call(origin, 'POST', '/bucket?delete', { body }),
  ];
  for (const { status, text } of answers) {
    t.is(status, 500);
    t.is(JSON.parse(text).code, 'InternalError');
  }
  t.deepEqual(seen, ['NoSuchKey', 'NoSuchKey']);
});

test('principal may be asynchronous, and is called once for each request to the storage', async (t) => {
  const storage = await memoryStorage();
  const paths: string[] = [];
  const app = new Koa();
  const principal = async (ctx: Koa.Context) => {
    paths.push(ctx.path);
    await new Promise(setImmediate);
    return principalOf(ctx.req);
  };
  app.use(storageMiddleware(storage, { mount: '/storage', principal }));
  const { origin, close } = await listen(app.callback());
  t.teardown(close);
  t.is((await call(origin, 'PUT', '/storage/bucket')).status, 200);
  t.is((await call(origin, 'PUT', '/storage/bucket/key', { body: 'x' })).status, 200);
  t.is((await call(origin, 'GET', '/storage/bucket/key')).text, 'x');
  t.deepEqual(paths.splice(0), ['/storage/bucket', '/storage/bucket/key', '/storage/bucket/key']);
  for (const path of ['/', '/other', '/storagex', '/storag%65/bucket/key', '/x/storage/bucket']) {
    t.is((await call(origin, 'GET', path)).status, 404);
  }
  t.deepEqual(paths, []);
});

test('an error that principal got from the storage does not become the response', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket: 'bucket', acl: 'public-read' });
  await storage.putObject({ bucket: 'bucket', key: 'a', body: 'a' });
  const seen: unknown[] = [];
  const principal = async () => {
    await storage.getObject({ bucket: 'bucket', key: 'session' });
    return alice;
  };
  const onError: HandlerOptions['onError'] = (error) => seen.push((error as StorageError).code);
  const app = new Koa();
  app.use(storageMiddleware(storage, { principal, onError }));
  const { origin, close } = await listen(app.callback());
  t.teardown(close);
  t.is((await call(origin, 'GET', '/bucket/a')).status, 500);
  t.deepEqual(seen, ['NoSuchKey']);
});

test('if principal throws, the request is rejected and onError is called', async (t) => {
  const storage = await memoryStorage();
  const seen: unknown[] = [];
  const app = new Koa();
  const principal = () => {
    throw new Error('no session store');
  };
  app.use(storageMiddleware(storage, { principal, onError: (error) => seen.push(String(error)) }));
  const { origin, close } = await listen(app.callback());
  t.teardown(close);
  const answer = await call(origin, 'PUT', '/bucket');
  t.is(answer.status, 500);
  t.false(answer.text.includes('session'));
  t.deepEqual(seen, ['Error: no session store']);
  t.deepEqual((await storage.check()).objects, 0);
});
