import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { lmdbMetadata } from '@bucketware/lmdb';
import test from 'ava';
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

test('a process without memory for a whole commit ends, and commits no part of it', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const program = fileURLToPath(new URL('./lmdb-memory.js', import.meta.url));
  const child = fork(program, [path], { silent: true });
  const [[, signal], [said]] = await Promise.all([
    once(child, 'exit'),
    once(child.stderr as Readable, 'data'),
  ]);
  t.is(signal, 'SIGKILL');
  t.regex(String(said), /No memory is left to commit records/);
  const store = await lmdbMetadata({ directory: path });
  const found = await store.list({ prefix: '', limit: 10 });
  t.deepEqual(
    found.map(({ key }) => key),
    ['before'],
  );
  await store.close();
  await remove();
});

test('a thread that is terminated in the middle of a commit commits no part of it and holds nobody up', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const program = fileURLToPath(new URL('./lmdb-terminated.js', import.meta.url));
  const child = fork(program, [path], { timeout: 30_000, killSignal: 'SIGKILL' });
  const [keys] = await Promise.race([once(child, 'message'), once(child, 'disconnect')]);
  t.deepEqual(keys, ['after', 'before']);
  await remove();
});

test('a commit may expect so many records that it takes a callback', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const store = await lmdbMetadata({ directory: path });
  const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}`);
  const version = await store.commit({ put: keys.map((key) => ({ key, value: 0 })) });
  const expect = keys.map((key) => ({ key, version }));
  const wrong = [...expect, { key: 'absent', version }];
  const [refused, done, next] = await Promise.all([
    store.commit({ expect: wrong, delete: keys }),
    store.commit({ expect, delete: keys.slice(1), put: [{ key: 'k0', value: 1 }] }),
    store.commit({ put: [{ key: 'next', value: 1 }] }),
  ]);
  t.is(refused, undefined);
  t.truthy(done && next);
  const found = await store.list({ prefix: '', limit: 10 });
  t.deepEqual(
    found.map(({ key, value }) => [key, value]),
    [
      ['k0', 1],
      ['next', 1],
    ],
  );
  await store.close();
  await remove();
});

test('what is not a version of the store is the version of no record', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const store = await lmdbMetadata({ directory: path });
  const version = (await store.commit({ put: [{ key: 'k', value: 1 }] })) as string;
  // The first means any version to lmdb-js.
  for (const other of ['3.542694326329068e-103', `${version}.0`, ` ${version}`, '', 'NaN']) {
    t.is(await store.commit({ expect: [{ key: 'k', version: other }], delete: ['k'] }), undefined);
  }
  t.truthy(await store.commit({ expect: [{ key: 'k', version }], delete: ['k'] }));
  await store.close();
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
