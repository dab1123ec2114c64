import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { MetadataStore } from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { type Driver, type Durability, openEmbedded } from './embedded.js';
import { temporaryDirectory } from './fixtures.js';

const program = fileURLToPath(new URL('./records-process.js', import.meta.url));

/**
 * Starts another process on the same records, which executes the commands that it receives. It ends
 * with the test at the latest: AVA waits for it.
 */
export async function another(
  t: ExecutionContext,
  driver: Driver,
  directory: string,
  durability: Durability,
): Promise<ChildProcess> {
  const child = fork(program, [driver, directory, durability]);
  t.teardown(() => child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

async function increment(store: MetadataStore): Promise<void> {
  const entry = await store.get('n');
  const expect = [{ key: 'n', version: entry?.version }];
  const value = ((entry?.value as number | undefined) ?? 0) + 1;
  if (!(await store.commit({ expect, put: [{ key: 'n', value }] }))) await increment(store);
}

/** Tests several processes on one machine with the same records. */
export function testProcesses(driver: Driver): void {
  for (const durability of ['full', 'relaxed'] as const) testDurability(driver, durability);
}

/** This takes some seconds of all processors. */
export function testOpenings(driver: Driver, durability: Durability): void {
  test(`${driver}: no commit is lost when other processes open the records (${durability})`, async (t) => {
    const { path, remove } = await temporaryDirectory();
    const store = await openEmbedded(driver, path, durability);
    const children = await Promise.all([1, 2, 3].map(() => another(t, driver, path, durability)));
    const opened = children.map(async (child) => {
      child.send('open');
      await once(child, 'message');
    });
    let isOver = false;
    const over = Promise.all(opened).then(() => sleep(2_000));
    void over.finally(() => {
      isOver = true;
    });
    const keys: string[] = [];
    const write = async (chain: number) => {
      for (let index = 0; !isOver; index++) {
        const key = `${chain}/${index}`;
        await store.commit({ put: [{ key, value: index }] });
        keys.push(key);
      }
    };
    await Promise.all([over, ...[1, 2, 3, 4].map(write)]);
    for (const child of children) {
      child.kill();
      await once(child, 'exit');
    }
    const found = await store.getMany(keys);
    t.deepEqual(
      keys.filter((_, index) => found[index] === undefined),
      [],
    );
    await store.close();
    await remove();
  });
}

function testDurability(driver: Driver, durability: Durability): void {
  test(`two processes immediately see each other's commits (${durability})`, async (t) => {
    const { path, remove } = await temporaryDirectory();
    const store = await openEmbedded(driver, path, durability);
    const child = await another(t, driver, path, durability);
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
    const store = await openEmbedded(driver, path, durability);
    const children = [
      await another(t, driver, path, durability),
      await another(t, driver, path, durability),
    ];
    const exits = children.map((child) => once(child, 'exit'));
    for (const child of children) child.send('increment');
    for (let count = 0; count < 100; count++) await increment(store);
    t.deepEqual((await Promise.all(exits)).flat(), [0, null, 0, null]);
    t.is((await store.get('n'))?.value, 300);
    await store.close();
    await remove();
  });

  test(`a killed process loses no acknowledged commit (${durability})`, async (t) => {
    const { path, remove } = await temporaryDirectory();
    const child = await another(t, driver, path, durability);
    const reported: string[] = [];
    child.on('message', (key) => {
      reported.push(String(key));
      if (reported.length === 2000) child.kill('SIGKILL');
    });
    child.send('write');
    await once(child, 'exit');
    const store = await openEmbedded(driver, path, durability);
    const found = await store.getMany(reported);
    t.true(found.every((entry, index) => entry?.value === reported[index]?.repeat(20)));
    t.truthy(await store.commit({ put: [{ key: 'after', value: 1 }] }));
    t.true(Number((await store.get('after'))?.version) > reported.length);
    await store.close();
    await remove();
  });
}
