import type { HandlerOptions } from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { until } from '../drivers/fixtures.js';
import { call } from './raw.js';
import { alice, carriers, listen, memoryStorage } from './servers.js';

type Rule = NonNullable<HandlerOptions['authorize']>;

/** More batches than may run at a time. */
const BATCHES = [1, 2, 3, 4, 5, 6];

/** A server with `bucket`, which belongs to Alice. */
async function serve(t: ExecutionContext, authorize: Rule, options: HandlerOptions = {}) {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const { origin, close } = await listen(carriers.node(storage, { ...options, authorize }));
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
  return { storage, origin, remove, list: () => call(origin, 'GET', '/bucket') };
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

for (const kind of ['batch', 'upload'] as const) {
  test(`a ${kind} ends when its client leaves, even if the rule of the app never decides`, async (t) => {
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
    const answer = kind === 'batch' ? remove(1, signal) : fetch(`${origin}/bucket/a`, upload);
    await until(() => asked > 0);
    leaving.abort();
    await t.throwsAsync(answer, { any: true });
    await until(() => ends.length === 1);
    t.deepEqual([ends, errors], [[false], []]);
  });
}
