import { setTimeout as sleep } from 'node:timers/promises';
import {
  createObjectStorage,
  type HandlerOptions,
  memoryBlobs,
  memoryMetadata,
} from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { until } from '../drivers/fixtures.js';
import { call } from './raw.js';
import { alice, bob, listen, memoryStorage, onNode } from './servers.js';

type Rule = NonNullable<HandlerOptions['authorize']>;

/** More batches than may run at a time. */
const BATCHES = [1, 2, 3, 4, 5, 6];

/** A server with `bucket`, which belongs to Alice. */
async function serve(t: ExecutionContext, authorize: Rule, options: HandlerOptions = {}) {
  const time = { now: 1_795_341_234_567 };
  const storage = await memoryStorage({ now: () => time.now });
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const { origin, close } = await listen(onNode(storage, { ...options, authorize }));
  t.teardown(async () => {
    await close();
    await storage.close();
  });
  const remove = (batch: number, signal?: AbortSignal) => {
    const objects = Array.from({ length: 20 }, (_, at) => ({ key: `${batch}-${at}` }));
    const headers = { authorization: 'Bearer alice' };
    const init = { method: 'POST', headers, body: JSON.stringify({ objects }) };
    return fetch(`${origin}/bucket?delete`, { ...init, ...(signal && { signal }) });
  };
  return { storage, origin, time, remove, list: () => call(origin, 'GET', '/bucket') };
}

/**
 * Starts an append to an object with the data `one`. When the rule has allowed it, more than a
 * second passes before the end of its data arrives, so the rule is asked again.
 */
async function appendLate(
  t: ExecutionContext,
  again: (served: Awaited<ReturnType<typeof serve>>, times: number) => boolean | Promise<boolean>,
) {
  let asked = 0;
  const served = await serve(t, ({ permission, principal, key }) => {
    const isLate = permission === 'WRITE' && key === 'log' && principal?.userId === bob.userId;
    if (!isLate) return true;
    return ++asked === 1 || again(served, asked);
  });
  const { storage, origin, time } = served;
  const at = { bucket: 'bucket', key: 'log' };
  await storage.appendObject({ ...at, body: 'one' });
  async function* body() {
    yield Buffer.from('t');
    await until(() => asked === 1);
    time.now += 1500;
    yield Buffer.from('wo');
  }
  const init = { method: 'POST', headers: { authorization: 'Bearer bob' }, body: body() };
  const answer = fetch(`${origin}/bucket/log?append&offset=3`, { ...init, duplex: 'half' });
  const text = async () => (await storage.getObject(at)).text();
  return { ...served, at, answer, text, asked: () => asked };
}

test('while the rule of the app decides about batches, other requests of their caller are answered', async (t) => {
  let decide = (): void => {};
  const decided = new Promise<void>((resolve) => {
    decide = resolve;
  });
  let asked = 0;
  const { remove, list } = await serve(t, async ({ permission, allowed }) => {
    if (permission === 'WRITE') {
      asked++;
      await decided;
    }
    return allowed;
  });
  const batches = BATCHES.map((batch) => remove(batch));
  await until(() => asked === 4);
  t.is((await list()).status, 200);
  t.is(asked, 4, 'the rule is not called more often at a time');
  decide();
  for (const batch of batches) t.is((await batch).status, 200);
  t.is(asked, 20 * BATCHES.length);
});

test('the rule of the app may list objects as the caller, even while many batches are running', async (t) => {
  const { storage, remove } = await serve(t, async ({ permission, principal, allowed }) => {
    if (permission !== 'WRITE') return allowed;
    await new Promise(setImmediate);
    return (await storage.as(principal).listObjects({ bucket: 'bucket' })).contents.length > 0;
  });
  await storage.putObject({ bucket: 'bucket', key: 'member', body: '' });
  const answers = await Promise.all(BATCHES.map((batch) => remove(batch)));
  t.deepEqual(
    answers.map(({ status }) => status),
    BATCHES.map(() => 200),
  );
});

test('while the rule of the app decides about an append, other appends to the object succeed', async (t) => {
  let decide = (_allowed: boolean): void => {};
  const decided = new Promise<boolean>((resolve) => {
    decide = resolve;
  });
  const { storage, origin, at, answer, text, asked } = await appendLate(t, () => decided);
  await until(() => asked() === 2);
  await storage.appendObject({ ...at, offset: 3, body: ' of the app' });
  const other = await call(origin, 'POST', '/bucket/log?append&offset=14', { body: ' of Alice' });
  t.is(other.status, 200);
  decide(true);
  t.is((await answer).status, 409);
  t.is(await text(), 'one of the app of Alice');
});

test('a rule that takes more than a second decides once about an append whose data has arrived', async (t) => {
  const { answer, text, asked } = await appendLate(t, async ({ time }) => {
    time.now += 5000;
    return true;
  });
  t.is((await answer).status, 200);
  t.is(asked(), 2);
  t.is(await text(), 'onetwo');
});

test('an append is committed only with the settings of the bucket that the rule has decided about', async (t) => {
  const { answer, text, asked } = await appendLate(t, async ({ storage }, times) => {
    if (times > 2) return false;
    await storage.putBucketAcl({ bucket: 'bucket', acl: 'public-read' });
    return true;
  });
  t.is((await answer).status, 403);
  t.is(asked(), 3);
  t.is(await text(), 'one');
});

test('an append that has waited for another one for more than a second asks the rule again', async (t) => {
  const time = { now: 1_795_341_234_567 };
  const blobs = memoryBlobs();
  const options = { blobs, metadata: memoryMetadata(), now: () => time.now };
  const storage = await createObjectStorage(options);
  let asked = 0;
  const authorize: Rule = ({ permission }) => (permission === 'READ' ? true : ++asked === 1);
  const { origin, close } = await listen(onNode(storage, { authorize }));
  t.teardown(close);
  const at = { bucket: 'bucket', key: 'log' };
  await storage.putBucket({ bucket: 'bucket' });
  await storage.appendObject({ ...at, body: 'one' });
  const append = blobs.append.bind(blobs);
  let waiting: ReturnType<typeof call> | undefined;
  blobs.append = async (...given) => {
    blobs.append = append;
    waiting = call(origin, 'POST', '/bucket/log?append&offset=3', { body: 'two' });
    await until(() => asked === 1);
    await sleep(50); // It is waiting for the lock now.
    time.now += 1500;
    await storage.putObjectAcl({ ...at, acl: 'private' }); // The other append has to start again.
    return append(...given);
  };
  await storage.appendObject({ ...at, offset: 3, body: ' of the app' });
  t.is((await waiting)?.status, 403);
  t.is(asked, 2);
  t.is(await (await storage.getObject(at)).text(), 'one of the app');
  await storage.close();
});

for (const kind of ['a batch', 'an upload'] as const) {
  test(`${kind} ends when its client leaves, even if the rule of the app never decides`, async (t) => {
    const errors: unknown[] = [];
    const ends: boolean[] = [];
    let asked = 0;
    const never: Rule = () => {
      asked++;
      return new Promise(() => {});
    };
    const onError = (error: unknown) => void errors.push(error);
    const { storage, origin, remove } = await serve(t, never, { onError });
    storage.observe(({ complete }) => void ends.push(complete));
    const leaving = new AbortController();
    const { signal } = leaving;
    const upload = { method: 'PUT', body: 'x', signal };
    const answer = kind === 'a batch' ? remove(1, signal) : fetch(`${origin}/bucket/a`, upload);
    await until(() => asked > 0);
    leaving.abort();
    await t.throwsAsync(answer, { any: true });
    await until(() => ends.length === 1);
    t.deepEqual([ends, errors], [[false], []]);
  });
}
