import { StorageError, SYSTEM } from '@bucketware/core';
import { storageMiddleware } from '@bucketware/express';
import test, { type ExecutionContext } from 'ava';
import express from 'express';
import { call } from './raw.js';
import { alice, listen, memoryStorage } from './servers.js';

/** An app that returns the same principal for every caller. */
async function serve(t: ExecutionContext, user: unknown) {
  const failures: unknown[] = [];
  const onError = (error: unknown) => failures.push(error);
  const storage = await memoryStorage({ onError });
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const app = express();
  app.use('/storage', storageMiddleware(storage, { principal: () => user as undefined }));
  const { origin, close } = await listen(app);
  t.teardown(close);
  const send = (method: string, path: string) => call(origin, method, `/storage${path}`);
  return { send, failures };
}

for (const user of [undefined, null, false]) {
  test(`${user} is an anonymous caller`, async (t) => {
    const { send, failures } = await serve(t, user);
    t.is((await send('PUT', '/new-bucket')).status, 403);
    t.is((await send('GET', '/bucket/a')).status, 403);
    t.deepEqual(failures, []);
  });
}

for (const [user, problem] of [
  [{ id: 7, email: 'a@example.com' }, 'has no tenantCode'],
  [true, 'is boolean'],
  ['alice', 'is string'],
  [{ ...alice, userId: '' }, 'has a userId that is empty'],
  [{ ...alice, userId: 7 }, 'has a userId that is of type number, not a string'],
  [{ ...alice, userName: null }, 'has a userName that is null, not a string'],
  [{ ...alice, tenantId: 't'.repeat(257) }, 'has a tenantId that is longer than 256 characters'],
  [{ ...alice, tenantId: '😀'.repeat(100) }, 'percent-encoded'],
  [{ ...alice, userId: '\ud800' }, 'well-formed'],
  [{ ...alice, userId: '*' }, 'everyone'],
  [{ ...alice, userId: String(undefined) }, "the userId 'undefined', which is a mistake"],
  [{ ...alice, tenantId: String({}) }, 'which is a mistake, not an id'],
  [SYSTEM, 'the ids that are reserved for the app itself'],
] as const) {
  test(`a principal is rejected, and the error says what to return: ${problem}`, async (t) => {
    const { send, failures } = await serve(t, user);
    for (const [method, path] of [
      ['GET', '/'],
      ['PUT', '/new-bucket'],
      ['GET', '/bucket/a'],
    ] as const) {
      const { status, text } = await send(method, path);
      t.is(status, 500);
      const { code, message } = JSON.parse(text);
      t.is(code, 'InternalError');
      t.true(message.includes(problem), message);
      t.regex(message, /\{ tenantCode, tenantId, userId, userName \}/);
    }
    t.is(failures.length, 3);
    t.true((failures[0] as Error).message.includes(problem));
  });
}

test('an error of a field that is computed does not become the response', async (t) => {
  for (const error of [new Error('no session store'), new StorageError('NoSuchKey')]) {
    const user = {
      ...alice,
      get userName() {
        throw error;
      },
    };
    const { send, failures } = await serve(t, user);
    const { status, text } = await send('GET', '/bucket/a');
    t.is(status, 500);
    t.is(JSON.parse(text).code, 'InternalError');
    t.false(text.includes(error.message), text);
    t.deepEqual(failures, [error]);
  }
});

test('only the four fields of a user are used', async (t) => {
  const storage = await memoryStorage();
  const user = { ...alice, passwordHash: 'secret' };
  await storage.as(user).putBucket({ bucket: 'bucket' });
  t.deepEqual((await storage.headBucket({ bucket: 'bucket' })).owner, alice);
  t.throws(() => storage.as({ id: 7 } as never), { instanceOf: TypeError, message: /tenantCode/ });
});
