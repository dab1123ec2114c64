import { StorageError, SYSTEM } from '@bucketware/core';
import type { Credentials } from '@bucketware/core/contracts';
import { storageMiddleware } from '@bucketware/express';
import { s3 } from '@bucketware/s3';
import { presignS3, presignV1 } from '@bucketware/signature';
import test, { type ExecutionContext } from 'ava';
import express from 'express';
import { alice, bob, listen, memoryStorage } from '../http/servers.js';

const SIGNER = { accessKey: 'AKALICE', secret: 'the secret of alice' };
const { secret } = SIGNER;

/** Invalid credentials, with their errors. */
const WRONG: readonly (readonly [credential: unknown, message: RegExp])[] = [
  [{ secret }, /AKALICE needs a principal/],
  [{ secret, principle: alice }, /unknown field: principle. Did you mean principal\?/],
  [{ secret, principal: alice, session_token: 'T' }, /Did you mean sessionToken\?/],
  [{ secret, principal: alice, token: 'T' }, /unknown field: token/],
  [{ secret, principal: alice, sessionToken: '' }, /a sessionToken that is not a non-empty string/],
  [
    { secret, principal: alice, sessionToken: undefined },
    /sessionToken that is not .* Leave it out/,
  ],
  [{ secret: '', principal: alice }, /needs a secret/],
  [{ secret: 'undefined', principal: alice }, /needs a secret\. .* is a variable not set/],
  [{ secret: ' ', principal: alice }, /needs a secret\. .* is a variable not set/],
  ['the secret', /must be \{ secret, principal \}/],
  [{ secret, principal: null }, /it is null/],
  [{ secret, principal: false }, /it is boolean/],
  [{ secret, principal: () => alice }, /it is function/],
  [{ secret, principal: { id: 7, email: 'a@example.com' } }, /has no tenantCode/],
  [{ secret, principal: { ...alice, userId: 7 } }, /a userId that is of type number, not a string/],
  [{ secret, principal: { ...alice, userId: '' } }, /a userId that is empty/],
  [
    { secret, principal: { ...alice, userId: 'undefined' } },
    /userId 'undefined', which is a mistake/,
  ],
  [{ secret, principal: { ...alice, userId: '*' } }, /everyone/],
  [{ secret, principal: { ...alice, tenantId: 't'.repeat(3000) } }, /longer than 256/],
  [{ secret, principal: SYSTEM }, /the ids that are reserved for the app itself/],
];

const principal = () => undefined;

/**
 * A storage in both dialects. The function returns the responses when Alice creates a bucket in
 * each.
 */
async function serve(t: ExecutionContext, credentials: Credentials) {
  const failures: unknown[] = [];
  const onError = (error: unknown) => failures.push(error);
  const storage = await memoryStorage({ onError });
  const app = express();
  app.use('/s3', storageMiddleware(storage, { principal, dialect: s3({ credentials }) }));
  app.use('/json', storageMiddleware(storage, { principal, credentials }));
  const { origin, close } = await listen(app);
  t.teardown(close);
  const target = { method: 'PUT', path: '/bucket', now: Date.now() };
  const create = async () => {
    const answers: [status: number, text: string][] = [];
    for (const url of [
      presignS3(SIGNER, { ...target, publicUrl: `${origin}/s3`, expires: 60 }),
      presignV1(SIGNER, { ...target, publicUrl: `${origin}/json` }),
    ]) {
      const answer = await fetch(url, { method: 'PUT' });
      answers.push([answer.status, await answer.text()]);
    }
    return answers;
  };
  return { storage, failures, create };
}

test('invalid credentials are rejected at once', async (t) => {
  const storage = await memoryStorage();
  t.teardown(() => storage.close());
  for (const [given, message] of WRONG) {
    const credentials = { AKBOB: { secret: 'of bob', principal: bob }, AKALICE: given } as never;
    t.throws(() => s3({ credentials }), { instanceOf: TypeError, message });
    t.throws(() => storageMiddleware(storage, { principal, credentials }), { message });
  }
  for (const name of ['', 'undefined']) {
    const credentials = { [name]: { secret, principal: alice } };
    t.throws(() => s3({ credentials }), { message: /has no access key/ });
  }
  const map = new Map([['AKALICE', { secret, principal: alice }]]) as never;
  t.throws(() => s3({ credentials: map }), { message: /must be an object that maps access keys/ });
});

test('a request whose looked-up credential is invalid fails with the reason', async (t) => {
  let found: unknown;
  const { storage, failures, create } = await serve(t, async () => found as never);
  for (const [given, message] of WRONG) {
    found = given;
    for (const [status, text] of await create()) {
      t.is(status, 500);
      t.regex(text, /InternalError/);
      t.regex(text.replaceAll('&apos;', "'").replaceAll('&quot;', '"'), message);
    }
    t.is(failures.splice(0).filter((failure) => message.test(String(failure))).length, 2);
  }
  t.deepEqual((await storage.listBuckets()).buckets, []);
});

test('an error that the look-up got from the storage does not become the response', async (t) => {
  const cause = new StorageError('NoSuchKey');
  const { create, failures } = await serve(t, () => Promise.reject(cause));
  for (const [status, text] of await create()) {
    t.is(status, 500);
    t.regex(text, /InternalError/);
  }
  t.deepEqual(
    failures.map((failure) => (failure as Error).cause),
    [cause, cause],
  );
});

test('an access key that the look-up does not find is unknown', async (t) => {
  for (const nobody of [undefined, null]) {
    const { create, failures } = await serve(t, () => nobody);
    for (const [status, text] of await create()) {
      t.is(status, 403);
      t.regex(text, /InvalidAccessKeyId/);
    }
    t.deepEqual(failures, []);
  }
});
