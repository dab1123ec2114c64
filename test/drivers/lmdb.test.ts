import { fork } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { lmdbMetadata } from '@bucketware/lmdb';
import test from 'ava';
import type { Durability } from './embedded.js';
import { temporaryDirectory } from './fixtures.js';
import { another, testOpenings, testProcesses } from './processes.js';

testProcesses('lmdb');
testOpenings('lmdb', 'full');

test('all commits complete, even if they do not fit into one transaction', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const child = await another(t, 'lmdb', path, 'relaxed');
  child.send('flood');
  // If AVA itself gave up, after two minutes, the process would stay.
  t.timeout(100_000, 'commits do not complete');
  const end = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  t.deepEqual(end, [true, undefined]);
  child.kill();
  await once(child, 'exit');
  await remove();
});

test('a process without enough memory for a commit ends, and commits no part of it', async (t) => {
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

test('the database does not grow after a process was killed while it read', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const store = await lmdbMetadata({ directory: path, durability: 'relaxed' });
  const value = 'x'.repeat(20_000);
  const size = async () => {
    for (let count = 0; count < 400; count++) await store.commit({ put: [{ key: 'k', value }] });
    return (await stat(join(path, 'data.mdb'))).size;
  };
  await size();
  const before = await size();
  const program = fileURLToPath(new URL('./lmdb-reader.js', import.meta.url));
  const child = fork(program, [path]);
  t.deepEqual(await once(child, 'message'), ['k', undefined]);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const after = await size();
  t.true(after < before + 4_000_000, `grew from ${before} to ${after} bytes`);
  await store.close();
  await remove();
});

test('a thread that is terminated during a commit commits no part of it and blocks no other', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const program = fileURLToPath(new URL('./lmdb-terminated.js', import.meta.url));
  const child = fork(program, [path], { timeout: 30_000, killSignal: 'SIGKILL' });
  const [keys] = await Promise.race([once(child, 'message'), once(child, 'disconnect')]);
  t.deepEqual(keys, ['after', 'before']);
  await remove();
});

test('a commit may have so many expectations that they need a callback', async (t) => {
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

test('a text that is not a version of the store matches no record', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const store = await lmdbMetadata({ directory: path });
  const version = (await store.commit({ put: [{ key: 'k', value: 1 }] })) as string;
  // lmdb-js treats the first one as any version.
  for (const other of ['3.542694326329068e-103', `${version}.0`, ` ${version}`, '', 'NaN']) {
    t.is(await store.commit({ expect: [{ key: 'k', version: other }], delete: ['k'] }), undefined);
  }
  t.truthy(await store.commit({ expect: [{ key: 'k', version }], delete: ['k'] }));
  await store.close();
  await remove();
});

test('a database may be opened with either durability', async (t) => {
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

test('an unknown durability is rejected', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const durability = 'ful' as Durability;
  await t.throwsAsync(lmdbMetadata({ directory: path, durability }), { instanceOf: TypeError });
  await remove();
});
