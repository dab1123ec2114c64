import {
  type AccessQuestion,
  createObjectStorage,
  type MetadataStore,
  memoryBlobs,
  memoryMetadata,
} from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { call, type RawOptions } from './raw.js';
import { alice, bob, listen, onKoa } from './servers.js';

const bucket = 'bucket';
const bobs = 'bobs';
const public_ = [{ grantee: [{ id: '*' }], permission: ['READ'] }];

/** A metadata store that can run a function between two reads. */
function interruptible(inner: MetadataStore) {
  const hooks = new Map<string, () => Promise<void>>();
  const happen = async (record: string) => {
    const key = record.replace(/^o\/[^/]*\//, '');
    const hook = record.startsWith('o/') ? hooks.get(key) : undefined;
    hooks.delete(key);
    await hook?.();
  };
  const metadata: MetadataStore = {
    async get(key) {
      const entry = await inner.get(key);
      await happen(key);
      return entry;
    },
    async getMany(keys) {
      const entries = await inner.getMany(keys);
      for (const key of keys) await happen(key);
      return entries;
    },
    list: (range) => inner.list(range),
    commit: (change) => inner.commit(change),
    close: () => inner.close(),
  };
  /** Runs a function right after the next read of an object's record. */
  const afterRead = (key: string, hook: () => Promise<void>) => hooks.set(key, hook);
  return { metadata, afterRead };
}

/** Two buckets, one of alice and one of bob. Alice's has the objects `a` and `b`. */
async function serve(
  t: ExecutionContext,
  rule: (question: AccessQuestion) => boolean = ({ allowed }) => allowed,
) {
  const { metadata, afterRead } = interruptible(memoryMetadata());
  const storage = await createObjectStorage({
    metadata,
    blobs: memoryBlobs(),
    sweepEvery: false,
    uniqueUserIds: true,
  });
  const questions: AccessQuestion[] = [];
  const authorize = (question: AccessQuestion) => {
    questions.push(question);
    return rule(question);
  };
  const { origin, close } = await listen(onKoa(storage, { authorize }));
  t.teardown(close);
  await storage.as(alice).putBucket({ bucket });
  await storage.as(bob).putBucket({ bucket: bobs });
  for (const key of ['a', 'b']) await storage.putObject({ bucket, key, body: key });
  const send = (method: string, path: string, options: RawOptions = {}) =>
    call(origin, method, path, options);
  return { storage, send, afterRead, takeQuestions: () => questions.splice(0) };
}

/** Each access check: source or target, bucket and key, and the default decision. */
const targets = (questions: readonly AccessQuestion[]): string[] =>
  questions
    .map(({ source, bucket, key, allowed }) => {
      return `${source ? 'source' : 'target'} ${bucket}/${key ?? ''} ${allowed}`;
    })
    .sort();

test('copies and renames check access once for each permission on the target and on the source', async (t) => {
  const { send, takeQuestions, storage } = await serve(t);
  const copy = { 'x-svc-copy-source': `/${bucket}/a`, 'content-length': 0 };
  t.is((await send('PUT', `/${bucket}/copy`, { headers: copy })).status, 200);
  t.deepEqual(targets(takeQuestions()), [`source ${bucket}/a true`, `target ${bucket}/copy true`]);

  t.is(
    (
      await send('PUT', `/${bucket}/a`, {
        headers: { ...copy, 'x-svc-metadata-directive': 'replace' },
      })
    ).status,
    200,
  );
  t.deepEqual(targets(takeQuestions()), [`source ${bucket}/a true`, `target ${bucket}/a true`]);

  const { uploadId } = await storage.initiateMultipartUpload({ bucket, key: 'large' });
  const path = `/${bucket}/large?partNumber=1&uploadId=${uploadId}`;
  t.is((await send('PUT', path, { headers: copy })).status, 200);
  t.deepEqual(targets(takeQuestions()), [`source ${bucket}/a true`, `target ${bucket}/large true`]);

  const rename = { 'x-svc-rename-key': 'copy' };
  t.is((await send('POST', `/${bucket}/renamed`, { headers: rename })).status, 200);
  t.deepEqual(targets(takeQuestions()), [
    `source ${bucket}/copy true`,
    `source ${bucket}/copy true`,
    `target ${bucket}/renamed true`,
  ]);
});

test('an object that authorize does not let the caller read cannot be renamed to make it readable', async (t) => {
  const { send, takeQuestions, storage } = await serve(
    t,
    ({ permission, key }) => permission !== 'READ' || key !== 'a',
  );
  const headers = { 'x-svc-rename-key': 'a' };
  t.is((await send('POST', `/${bucket}/readable`, { headers })).status, 403);
  const asked = takeQuestions().filter(({ source }) => source);
  t.deepEqual(
    asked.map(({ permission, key }) => [permission, key]),
    [['READ', 'a']],
  );
  t.is((await storage.getObjectMeta({ bucket, key: 'a' })).size, 1);
});

test('access to a source in another bucket is checked with the name of that bucket', async (t) => {
  const { send, takeQuestions } = await serve(t);
  const headers = { 'x-svc-copy-source': `/${bucket}/a`, 'content-length': 0 };
  const answer = await send('PUT', `/${bobs}/copy`, { as: 'bob', headers });
  t.is(answer.status, 403);
  const questions = takeQuestions();
  t.deepEqual(targets(questions), [`source ${bucket}/a false`, `target ${bobs}/copy true`]);
  t.deepEqual(
    questions.map(({ operation, permission, principal }) => [operation, permission, principal]),
    [
      ['CopyObject', 'WRITE', bob],
      ['CopyObject', 'READ', bob],
    ],
  );
});

test('if a caller may not write the target, access to the source is not checked', async (t) => {
  const { send, takeQuestions } = await serve(t);
  const headers = { 'x-svc-copy-source': `/${bucket}/a`, 'content-length': 0 };
  t.is((await send('PUT', `/${bucket}/copy`, { as: 'bob', headers })).status, 403);
  t.deepEqual(targets(takeQuestions()), [`target ${bucket}/copy false`]);
});

test('access is checked for each object of a batch, and with FULL_CONTROL for settings', async (t) => {
  const { send, takeQuestions } = await serve(t);
  const body = JSON.stringify({ objects: [{ key: 'a' }, { key: 'x' }, { key: 'a' }] });
  t.is((await send('POST', `/${bucket}?delete`, { body })).status, 200);
  t.deepEqual(targets(takeQuestions()), [`target ${bucket}/a true`, `target ${bucket}/x true`]);
  for (const name of ['acl', 'cors', 'lifecycle']) {
    await send('GET', `/${bucket}?${name}`);
    const [question, ...more] = takeQuestions();
    t.deepEqual(more, []);
    t.is(question?.permission, 'FULL_CONTROL');
    t.is(question?.key, undefined);
  }
  await send('GET', `/${bucket}/b?acl`);
  t.deepEqual(targets(takeQuestions()), [`target ${bucket}/b true`]);
});

test('a preflight checks no access', async (t) => {
  const { send, takeQuestions } = await serve(t, () => false);
  const headers = { origin: 'http://x', 'access-control-request-method': 'GET' };
  t.is((await send('OPTIONS', `/${bucket}/a`, { headers })).status, 403);
  t.deepEqual(takeQuestions(), []);
});

test('grants determine the default decision, which the host may tighten', async (t) => {
  const tight = ({ allowed, key }: AccessQuestion) => allowed && key !== 'b';
  const { send, takeQuestions, storage } = await serve(t, tight);
  await storage.putBucketAcl({ bucket, acl: 'public-read' });
  for (const as of ['bob', ''] as const) {
    t.is((await send('GET', `/${bucket}/a`, { as })).text, 'a');
    t.is((await send('GET', `/${bucket}/b`, { as })).status, 403);
    const asked = takeQuestions().map(({ key, principal, allowed }) => [
      key,
      principal?.userId,
      allowed,
    ]);
    // For a public object, also whether anyone may read it.
    const anyone = as === 'bob' ? [['a', undefined, true]] : [];
    const caller = as === 'bob' ? bob.userId : undefined;
    t.deepEqual(asked, [['a', caller, true], ...anyone, ['b', caller, true]]);
    t.is((await send('PUT', `/${bucket}/a`, { as, body: 'x' })).status, 403);
    t.deepEqual(targets(takeQuestions()), [`target ${bucket}/a false`]);
  }
});

test('the host may allow callers without a grant, and deny the owner', async (t) => {
  const { send } = await serve(t, ({ principal }) => principal?.userId !== alice.userId);
  t.is((await send('GET', `/${bucket}/a`, { as: '' })).text, 'a');
  t.is((await send('PUT', `/${bucket}/new`, { as: 'bob', body: 'x' })).status, 200);
  t.is((await send('GET', `/${bucket}?acl`, { as: 'bob' })).status, 200);
  const refused = await send('GET', `/${bucket}/a`);
  t.is(refused.status, 403);
  t.regex(refused.text, /rules of this app/);
});

test('a source can be denied even if the same object may be read', async (t) => {
  const { send } = await serve(t, ({ allowed, source }) => allowed && !source);
  const headers = { 'x-svc-copy-source': `/${bucket}/a`, 'content-length': 0 };
  t.is((await send('GET', `/${bucket}/a`)).text, 'a');
  t.is((await send('PUT', `/${bucket}/copy`, { headers })).status, 403);
  t.is((await send('POST', `/${bucket}/x`, { headers: { 'x-svc-rename-key': 'a' } })).status, 403);
  t.is((await send('HEAD', `/${bucket}/copy`)).status, 404);
  t.is((await send('GET', `/${bucket}/a`)).text, 'a');
});

const READERS = {
  GetObject: ['GET', `/${bucket}/a`, {}],
  GetObjectMeta: ['HEAD', `/${bucket}/a`, {}],
  CopyObject: [
    'PUT',
    `/${bobs}/copy`,
    { 'x-svc-copy-source': `/${bucket}/a`, 'content-length': 0 },
  ],
} as const;

for (const [name, [method, path, headers]] of Object.entries(READERS)) {
  test(`${name}: an object that is replaced by a private one after the access check is not read`, async (t) => {
    const { send, storage, afterRead, takeQuestions } = await serve(t);
    await storage.putObjectAcl({ bucket, key: 'a', accessControlList: public_ });
    t.is((await send(method, path, { as: 'bob', headers })).status, 200, 'without interruption');
    const { etag } = (await send('HEAD', `/${bucket}/a`)).headers;
    takeQuestions();
    let replaced = false;
    afterRead('a', async () => {
      await storage.putObject({ bucket, key: 'a', body: 'secret', acl: 'private' });
      replaced = true;
    });
    const answer = await send(method, path, { as: 'bob', headers });
    t.true(replaced);
    t.false(answer.text.includes('secret'));
    // The record that was read with the permission may still be returned; its data no longer
    // exists.
    if (method === 'HEAD') return t.is(answer.headers.etag, etag);
    t.is(answer.status, 403);
    const about = takeQuestions().filter(({ key }) => key === 'a');
    return t.is(about.at(-1)?.allowed, false);
  });

  test(`${name}: an object that is added to a public bucket after the access check is not found yet`, async (t) => {
    const { send, storage, afterRead } = await serve(t);
    await storage.putBucketAcl({ bucket, acl: 'public-read' });
    await storage.deleteObject({ bucket, key: 'a' });
    let stored = false;
    afterRead('a', async () => {
      await storage.putObject({ bucket, key: 'a', body: 'secret', acl: 'private' });
      stored = true;
    });
    t.is((await send(method, path, { as: 'bob', headers })).status, 404);
    t.true(stored);
    await storage.deleteObject({ bucket, key: 'a' });
    await storage.putObject({ bucket, key: 'a', body: 'a' });
    t.is((await send(method, path, { as: 'bob', headers })).status, 200);
  });
}

test('an access control list that changes after the access check is neither returned nor replaced', async (t) => {
  const { send, storage, afterRead } = await serve(t);
  const full = [{ grantee: [{ id: bob.userId }], permission: ['FULL_CONTROL'] }];
  const body = JSON.stringify({ accessControlList: public_ });
  for (const [method, options] of [
    ['GET', {}],
    ['PUT', { body }],
    ['DELETE', {}],
  ] as const) {
    await storage.putObjectAcl({ bucket, key: 'a', accessControlList: full });
    afterRead('a', () => storage.putObjectAcl({ bucket, key: 'a', acl: 'private' }));
    const answer = await send(method, `/${bucket}/a?acl`, { as: 'bob', ...options });
    // What was read with the permission is returned, but a change applies to the current object.
    t.is(answer.status, method === 'GET' ? 200 : 403, method);
    if (method === 'GET') t.deepEqual(JSON.parse(answer.text), { accessControlList: full });
    t.deepEqual(await storage.getObjectAcl({ bucket, key: 'a' }), { accessControlList: [] });
  }
});

test('an object that replaces the one whose access was checked is not renamed', async (t) => {
  const { storage, send, afterRead } = await serve(t);
  const full = [{ grantee: [{ id: bob.userId }], permission: ['FULL_CONTROL'] }];
  await storage.putBucketAcl({
    bucket,
    accessControlList: [{ grantee: [{ id: bob.userId }], permission: ['WRITE'] }],
  });
  await storage.putObjectAcl({ bucket, key: 'a', accessControlList: full });
  afterRead('a', async () => {
    await storage.putObject({ bucket, key: 'a', body: 'secret', acl: 'private' });
  });
  const headers = { 'x-svc-rename-key': 'a', 'content-length': 0 };
  t.is((await send('POST', `/${bucket}/free`, { as: 'bob', headers })).status, 403);
  t.is((await send('GET', `/${bucket}/a`)).text, 'secret');
  t.is((await send('GET', `/${bucket}/free`)).status, 404);
});
