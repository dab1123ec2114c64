import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { lmdbMetadata } from '@bucketware/lmdb';
import test from 'ava';
import { broken } from './broken.js';
import type { Durability } from './embedded.js';
import { temporaryDirectory } from './fixtures.js';
import { another, testProcesses } from './processes.js';

testProcesses('lmdb');

test('more commits at once than one transaction can hold all come to an end', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const child = await another('lmdb', path, 'relaxed');
  child.send('flood');
  const end = await Promise.race([once(child, 'message'), sleep(30_000, 'none', { ref: false })]);
  t.deepEqual(end, [true, undefined]);
  child.kill();
  await once(child, 'exit');
  await remove();
});

const BUILT = new URL('../../../packages/lmdb/dist/lmdb-metadata.js', import.meta.url);
const PUT = 'database.put(key, value, version);';
const FULL = "if (key.toString() === 'bad') throw Object.assign(new Error('full'), { code: 28 });";

test('a commit that fails half way leaves nothing behind, and the next one succeeds', async (t) => {
  const failing = await broken<{ lmdbMetadata: typeof lmdbMetadata }>(BUILT, [
    [PUT, `{ ${FULL} ${PUT} }`],
  ]);
  const { path, remove } = await temporaryDirectory();
  const store = await failing.lmdbMetadata({ directory: path });
  const groups = [['a'], ['b', 'bad', 'c'], ['d']];
  const outcomes = await Promise.allSettled(
    groups.map((keys) => store.commit({ put: keys.map((key) => ({ key, value: key })) })),
  );
  t.is(outcomes[1]?.status, 'rejected');
  t.truthy(await store.commit({ put: [{ key: 'next', value: 1 }] }));
  await store.close();
  const again = await lmdbMetadata({ directory: path });
  for (const [index, { status }] of outcomes.entries()) {
    const found = await again.getMany(groups[index] as string[]);
    t.true(found.every((entry) => (entry !== undefined) === (status === 'fulfilled')));
  }
  t.is((await again.get('next'))?.value, 1);
  await again.close();
  await remove();
});

test('a database may change between the two durabilities', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const choices: readonly Durability[] = ['full', 'relaxed', 'full', 'relaxed'];
  for (const [round, durability] of choices.entries()) {
    const store = await lmdbMetadata({ directory: path, durability });
    await store.commit({ put: [{ key: `k${round}`, value: round }] });
    t.is((await store.list({ prefix: '', limit: 9 })).length, round + 1);
    await store.close();
  }
  await remove();
});

test('an unknown durability is refused', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const durability = 'ful' as Durability;
  await t.throwsAsync(lmdbMetadata({ directory: path, durability }), { instanceOf: TypeError });
  await remove();
});
