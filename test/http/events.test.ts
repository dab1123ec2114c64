import type { StorageEvent } from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { until } from '../drivers/fixtures.js';
import { DAY, rule, setRules, stoppedClock } from './lifecycle-fixtures.js';
import { call, type RawOptions } from './raw.js';
import { alice, bob, listen, memoryStorage, onKoa } from './servers.js';

const bucket = 'bucket';
const NAMES = ['bucket:created', 'bucket:removed', 'object:created', 'object:removed'] as const;
const md5OfX = '9dd4e461268c8034f5c8564e155c67a6';

/** A storage whose events are recorded, both as `<name> <key>` and completely. */
async function serve(t: ExecutionContext) {
  const clock = stoppedClock();
  const failures: unknown[] = [];
  const onError = (error: unknown) => failures.push(error);
  const storage = await memoryStorage({ now: clock.now, sweepEvery: false, onError });
  const seen: { name: string; event: StorageEvent }[] = [];
  for (const name of NAMES) storage.on(name, (event) => void seen.push({ name, event }));
  const { origin, close } = await listen(onKoa(storage, {}));
  t.teardown(close);
  const send = (method: string, path: string, options?: RawOptions) =>
    call(origin, method, path, options);
  const taken = () => seen.splice(0);
  const heard = () => taken().map(({ name, event }) => `${name} ${event.bucket}/${event.key}`);
  return { storage, send, taken, heard, failures, clock };
}

test('an event states the action, the caller, the request and the outcome', async (t) => {
  const { send, taken } = await serve(t);
  const expect = (headers: NodeJS.Dict<unknown>, name: string, event: object) => {
    const requestId = headers['x-svc-request-id'];
    const common = { bucket, requestId, principal: alice };
    t.deepEqual(taken(), [{ name, event: { ...common, ...event } }] as never);
  };
  const made = await send('PUT', '/bucket');
  expect(made.headers, 'bucket:created', { operation: 'PutBucket', key: '' });
  const put = await send('PUT', '/bucket/a%20b', { body: 'x' });
  const created = { operation: 'PutObject', key: 'a b', size: 1, etag: md5OfX };
  expect(put.headers, 'object:created', created);
  const removed = await send('DELETE', '/bucket/a%20b');
  expect(removed.headers, 'object:removed', { operation: 'DeleteObject', key: 'a b' });
  const gone = await send('DELETE', '/bucket');
  expect(gone.headers, 'bucket:removed', { operation: 'DeleteBucket', key: '' });
});

test('every operation that creates or removes an object emits one event, and no other operation does', async (t) => {
  const { send, heard } = await serve(t);
  await send('PUT', '/bucket');
  heard();
  const headers = { 'x-svc-copy-source': '/bucket/a', 'content-length': 0 };
  const ontoItself = { ...headers, 'x-svc-metadata-directive': 'replace' };
  const steps: readonly (readonly [string, string, RawOptions, readonly string[]])[] = [
    ['PUT', '/a', { body: 'x' }, ['object:created bucket/a']],
    ['PUT', '/a', { body: 'y' }, ['object:created bucket/a']],
    ['PUT', '/b', { headers }, ['object:created bucket/b']],
    ['POST', '/log?append', { body: 'x' }, ['object:created bucket/log']],
    ['POST', '/log?append&offset=1', { body: 'x' }, ['object:created bucket/log']],
    [
      'POST',
      '/c',
      { headers: { 'x-svc-rename-key': 'b' } },
      ['object:removed bucket/b', 'object:created bucket/c'],
    ],
    ['PUT', '/a', { headers: ontoItself }, ['object:created bucket/a']],
    ['PUT', '/a?acl', { headers: { 'x-svc-acl': 'public-read' } }, []],
    ['DELETE', '/a?acl', {}, []],
    ['POST', '/log?append&offset=2', { body: '' }, []],
    ['POST', '/c', { headers: { 'x-svc-rename-key': 'c' } }, []],
    ['GET', '/a', {}, []],
    ['HEAD', '/a', {}, []],
    ['GET', '', {}, []],
    ['DELETE', '/absent', {}, []],
    ['PUT', '/a', { as: 'bob', body: 'x' }, []],
    ['PUT', '/a', { body: 'x', headers: { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' } }, []],
    ['PUT', '/a', { body: 'x', headers: { 'if-none-match': '*' } }, []],
    ['DELETE', '', {}, []],
    [
      'POST',
      '?delete',
      { body: '{"objects":[{"key":"a"},{"key":"absent"},{"key":"c"},{"key":"a"}]}' },
      ['object:removed bucket/a', 'object:removed bucket/c'],
    ],
  ];
  for (const [method, path, options, expected] of steps) {
    await send(method, `/bucket${path}`, options);
    const what = `${method} ${path} ${JSON.stringify(options)}`;
    t.deepEqual(heard().sort(), [...expected].sort(), what);
  }
});

test('an upload emits an event when it is completed, and none when it is aborted', async (t) => {
  const { storage, send, taken, heard } = await serve(t);
  await storage.as(bob).putBucket({ bucket });
  const begin = async () => (await storage.initiateMultipartUpload({ bucket, key: 'a' })).uploadId;
  const uploadId = await begin();
  const path = `/bucket/a?uploadId=${uploadId}`;
  await send('PUT', `${path}&partNumber=1`, { as: 'bob', body: 'x' });
  await storage.abortMultipartUpload({ bucket, key: 'a', uploadId: await begin() });
  t.deepEqual(heard(), ['bucket:created bucket/']);
  const body = JSON.stringify({ parts: [{ partNumber: 1, eTag: md5OfX }] });
  const { status } = await send('POST', path, { as: 'bob', body });
  t.is(status, 200);
  const [{ name, event } = { name: '', event: undefined }, ...more] = taken();
  t.deepEqual(more, []);
  t.is(name, 'object:created');
  t.is(event?.operation, 'CompleteMultipartUpload');
  t.deepEqual([event?.size, event?.etag, event?.principal], [1, md5OfX, bob]);
  t.is((await send('POST', path, { as: 'bob', body })).status, 200, 'the same answer again');
  t.deepEqual(heard(), [], 'nothing has happened this time');
});

test('actions of programs and rules also emit events, without a request', async (t) => {
  const { storage, taken, clock } = await serve(t);
  await storage.putBucket({ bucket });
  await storage
    .as(bob)
    .putObject({ bucket, key: 'a', body: 'x' })
    .catch(() => {});
  await storage.putObject({ bucket, key: 'a', body: 'x' });
  const events = taken().map(({ event }) => [event.operation, event.requestId]);
  t.deepEqual(events, [
    ['PutBucket', ''],
    ['PutObject', ''],
  ]);
  await setRules(storage, rule());
  clock.wait(DAY);
  await storage.lifecycle.run();
  const about = { bucket, key: 'a', principal: undefined, requestId: '' };
  const event = { operation: 'Lifecycle', ...about };
  t.deepEqual(taken(), [{ name: 'object:removed', event }]);
});

test('an event is emitted after its commit, so its listeners can read the object', async (t) => {
  const { storage } = await serve(t);
  await storage.putBucket({ bucket });
  const read: string[] = [];
  storage.on('object:created', async ({ key }) => {
    read.push(String(await (await storage.getObject({ bucket, key })).bytes()));
  });
  storage.on('object:removed', async ({ key }) => {
    const { code } = await storage.getObject({ bucket, key }).catch((error) => error);
    read.push(code);
  });
  await storage.putObject({ bucket, key: 'a', body: 'x' });
  await until(() => read.length === 1);
  await storage.deleteObject({ bucket, key: 'a' });
  await until(() => read.length === 2);
  t.deepEqual(read, ['x', 'NoSuchKey']);
});

test('listeners that throw, reject or never settle affect neither the request nor each other', async (t) => {
  const { storage, send, heard, failures, clock } = await serve(t);
  await send('PUT', '/bucket');
  const [thrown, rejected] = [new Error('thrown'), new Error('rejected')];
  storage.on('object:created', () => {
    throw thrown;
  });
  storage.on('object:created', () => Promise.reject(rejected));
  storage.on('object:created', () => new Promise(() => {}));
  storage.on('object:removed', () => {
    throw thrown;
  });
  let last = 0;
  storage.on('object:created', () => void last++);
  heard();
  t.is((await send('PUT', '/bucket/a', { body: 'x' })).status, 200);
  await until(() => failures.length === 2);
  t.deepEqual(new Set(failures), new Set([thrown, rejected]));
  t.is(last, 1);
  t.deepEqual(heard(), ['object:created bucket/a']);
  await setRules(storage, rule());
  clock.wait(DAY);
  t.is((await storage.lifecycle.run()).deleted, 1);
  await until(() => failures.length === 3);
  t.is((await send('GET', '/bucket/a')).status, 404);
});

test('a removed listener gets no more events, and others still do', async (t) => {
  const { storage } = await serve(t);
  await storage.putBucket({ bucket });
  const heard: string[] = [];
  const listener = ({ key }: StorageEvent) => void heard.push(`first ${key}`);
  const end = storage.on('object:created', listener);
  storage.on('object:created', ({ key }) => void heard.push(`second ${key}`));
  const endItself = storage.on('object:created', () => endItself());
  await storage.putObject({ bucket, key: 'a', body: 'x' });
  end();
  end();
  await storage.putObject({ bucket, key: 'b', body: 'x' });
  t.deepEqual(heard, ['first a', 'second a', 'second b']);
});

test('a listener for an unknown event, or one that is not a function, is refused', async (t) => {
  const { storage } = await serve(t);
  const on = storage.on as (...given: unknown[]) => unknown;
  const refused = (message: RegExp) => ({ instanceOf: TypeError, message });
  t.throws(
    () => on('object:creatd', () => {}),
    refused(/object:creatd\. Did you mean object:created\?$/),
  );
  t.throws(() => on('object:created'), refused(/takes a function/));
});
