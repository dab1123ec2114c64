import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { MetadataStore } from '@bucketware/core';
import { lmdbMetadata } from '@bucketware/lmdb';
import test from 'ava';
import { broken } from './broken.js';
import { temporaryDirectory } from './fixtures.js';

type Durability = 'full' | 'relaxed';
const program = fileURLToPath(new URL('./lmdb-process.js', import.meta.url));

async function another(directory: string, durability: Durability): Promise<ChildProcess> {
  const child = fork(program, [directory, durability]);
  await once(child, 'message');
  return child;
}

async function increment(store: MetadataStore): Promise<void> {
  const entry = await store.get('n');
  const expect = [{ key: 'n', version: entry?.version }];
  const value = ((entry?.value as number | undefined) ?? 0) + 1;
  if (!(await store.commit({ expect, put: [{ key: 'n', value }] }))) await increment(store);
}

for (const durability of ['full', 'relaxed'] as const) {
  test(`two processes see each other's commits at once (${durability})`, async (t) => {
    const { path, remove } = await temporaryDirectory();
    const store = await lmdbMetadata({ directory: path, durability });
    const child = await another(path, durability);
    const versions = new Set<unknown>();
    for (let round = 0; round < 50; round++) {
      await store.get('k');
      child.send({ put: { key: 'k', value: round } });
      const [version] = await once(child, 'message');
      const entry = await store.get('k');
      t.deepEqual([entry?.value, entry?.version], [round, version]);
      await store.commit({ delete: ['k'] });
      versions.add(version);
    }
    t.is(versions.size, 50);
    child.kill();
    await once(child, 'exit');
    await store.close();
    await remove();
  });

  test(`increments from three processes lose nothing (${durability})`, async (t) => {
    const { path, remove } = await temporaryDirectory();
    const store = await lmdbMetadata({ directory: path, durability });
    const children = [await another(path, durability), await another(path, durability)];
    const exits = children.map((child) => once(child, 'exit'));
    for (const child of children) child.send('increment');
    for (let count = 0; count < 100; count++) await increment(store);
    t.deepEqual((await Promise.all(exits)).flat(), [0, null, 0, null]);
    t.is((await store.get('n'))?.value, 300);
    await store.close();
    await remove();
  });

  test(`a process that is killed loses no commit that it reported (${durability})`, async (t) => {
    const { path, remove } = await temporaryDirectory();
    const child = await another(path, durability);
    const reported: string[] = [];
    child.on('message', (key) => {
      reported.push(String(key));
      if (reported.length === 2000) child.kill('SIGKILL');
    });
    child.send('write');
    await once(child, 'exit');
    const store = await lmdbMetadata({ directory: path, durability });
    const found = await store.getMany(reported);
    t.true(found.every((entry, index) => entry?.value === reported[index]?.repeat(20)));
    t.truthy(await store.commit({ put: [{ key: 'after', value: 1 }] }));
    t.true(Number((await store.get('after'))?.version) > reported.length);
    await store.close();
    await remove();
  });
}

test('more commits at once than one transaction can hold all come to an end', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const child = await another(path, 'relaxed');
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
