import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { lmdbMetadata } from '@bucketware/lmdb';
import test, { type ExecutionContext } from 'ava';
import { temporaryDirectory } from '../drivers/fixtures.js';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../drivers/lmdb-faulty.js', import.meta.url));
const STORES = 8;

interface Seen {
  readonly failed: Readonly<Record<string, number>>;
  readonly recovered: number;
  readonly messages: readonly string[];
  readonly wrong: readonly string[];
}

/** Some machines have no strace, or do not allow it to trace a process. */
async function lacksStrace(t: ExecutionContext): Promise<boolean> {
  try {
    await run('strace', ['-f', '-qq', '-o', '/dev/null', 'true']);
    return false;
  } catch (error) {
    t.log(`Skipped: strace does not run here: ${(error as Error).message.trim()}`);
    t.pass();
    return true;
  }
}

/**
 * Uses many stores, one after another, while a call fails that each commit makes. `file`: only for
 * files with this name.
 */
async function whileFailing(
  calls: string,
  fault: string,
  what = String(STORES),
  file?: string,
): Promise<Seen> {
  const { path, remove } = await temporaryDirectory();
  try {
    // The first writes create the database, and must not fail.
    for (let index = 0; index < STORES; index++) {
      await (await lmdbMetadata({ directory: join(path, String(index)) })).close();
    }
    // strace counts the calls of each thread separately, so only one thread is used.
    const env = { ...process.env, UV_THREADPOOL_SIZE: '1' };
    const inject = ['-e', `trace=${calls}`, '-e', `inject=${calls}:${fault}`];
    for (let index = 0; file !== undefined && index < STORES; index++) {
      inject.push('-P', join(path, String(index), file));
    }
    const strace = ['-f', '-qq', '-o', '/dev/null', ...inject, process.execPath];
    const { stdout } = await run('strace', [...strace, program, path, what], { env });
    const last = stdout.trim().split('\n').at(-1) as string;
    return JSON.parse(last) as Seen;
  } finally {
    await remove();
  }
}

for (const [calls, every] of [
  ['pwrite64', '2+11'],
  ['writev', '2+3'],
  ['fdatasync', '2+3'],
] as const) {
  test(`when ${calls} fails with EIO, records are read-only until opened again, and no call hangs`, async (t) => {
    if (await lacksStrace(t)) return;
    const { failed, recovered, messages, wrong } = await whileFailing(
      calls,
      `error=EIO:when=${every}`,
    );
    t.deepEqual(wrong, []);
    t.true((failed.EIO ?? 0) > 0 && (failed.EROFS ?? 0) > 0);
    t.deepEqual(Object.keys(failed).sort(), ['EIO', 'EROFS']);
    t.is(recovered, 0);
    t.deepEqual(messages.length, 1);
    t.regex(messages[0] ?? '', /read-only after a failed write.*open it again/);
  });

  test(`when ${calls} fails with ENOSPC, the store later accepts commits again, or reports that it is read-only`, async (t) => {
    if (await lacksStrace(t)) return;
    const { failed, recovered, wrong } = await whileFailing(calls, `error=ENOSPC:when=${every}`);
    t.deepEqual(wrong, []);
    t.true((failed.ENOSPC ?? 0) > 0);
    t.true(recovered > 0);
    // The root is written with pwrite64. LMDB cannot recover from a failure there.
    const expected = calls === 'pwrite64' ? ['ENOSPC', 'EROFS'] : ['ENOSPC'];
    t.deepEqual(Object.keys(failed).sort(), expected);
  });
}

test('when the disk accepts only part of a write, nothing is lost or torn', async (t) => {
  if (await lacksStrace(t)) return;
  const { failed, wrong } = await whileFailing('pwrite64,writev', 'retval=2:when=3+7');
  t.deepEqual(wrong, []);
  t.true((failed.EIO ?? 0) > 0);
});

test('when a disk quota is used up, commits fail as on a full disk, and later ones succeed', async (t) => {
  if (await lacksStrace(t)) return;
  const fault = 'error=EDQUOT:when=2+3';
  const { failed, recovered, messages, wrong } = await whileFailing(
    'write',
    fault,
    String(STORES),
    'data.mdb',
  );
  t.deepEqual(wrong, []);
  t.deepEqual(Object.keys(failed), ['ENOSPC']);
  t.true(recovered > 0);
  t.deepEqual(messages, []);
});

test('if a process has opened a directory twice, a failed root page ends both, and no call hangs', async (t) => {
  if (await lacksStrace(t)) return;
  const { failed, messages, wrong } = await whileFailing('pwrite64', 'error=EIO:when=2', 'twice');
  t.deepEqual(wrong, []);
  t.deepEqual(failed, { EIO: 1, EROFS: 5 });
  t.deepEqual(messages.length, 2);
  t.true(messages.every((message) => /LMDB could not commit|read-only after/.test(message)));
});

test('if the records were replaced, every call fails and the process continues', async (t) => {
  if (await lacksStrace(t)) return;
  const { failed, wrong } = await whileFailing('pwrite64', 'error=EIO:when=2', 'lost');
  t.deepEqual(wrong, []);
  t.deepEqual(failed, { EROFS: 3 });
});

test('a database grows even when the process has no descriptor left', async (t) => {
  const { path, remove } = await temporaryDirectory();
  t.teardown(remove);
  const node = [process.execPath, program, path, 'descriptors'];
  const { stdout } = await run('bash', ['-c', 'ulimit -n 200; exec "$@"', 'bash', ...node]);
  t.deepEqual(JSON.parse(stdout).failed, {});
});

test('a file that is not a database is rejected with its name', async (t) => {
  const { path, remove } = await temporaryDirectory();
  await writeFile(join(path, 'data.mdb'), randomBytes(20_000));
  await t.throwsAsync(lmdbMetadata({ directory: path }), { message: /data\.mdb is damaged/ });
  await remove();
});

test('a damaged gate is rejected with its name, and can be removed', async (t) => {
  const { path, remove } = await temporaryDirectory();
  t.teardown(remove);
  const directory = join(path, 'records');
  await (await lmdbMetadata({ directory })).close();
  await writeFile(join(directory, 'gate/opening/data.mdb'), randomBytes(20_000));
  await t.throwsAsync(lmdbMetadata({ directory }), {
    message: /opening.data\.mdb is damaged.* remove .*gate\./,
  });
  await rm(join(directory, 'gate'), { recursive: true });
  await (await lmdbMetadata({ directory })).close();
});

test('several processes may create one database at the same time', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const made = await Promise.all(
    [0, 1, 2, 3].map(() => run(process.execPath, [program, path, '1'])),
  );
  for (const { stdout } of made) t.deepEqual((JSON.parse(stdout) as Seen).wrong, []);
  t.deepEqual((await readdir(join(path, '0'))).sort(), ['data.mdb', 'gate', 'lock.mdb']);
  await remove();
});

test('a gate that root adds to a database belongs to the owner of the database', async (t) => {
  if (process.getuid?.() !== 0) {
    t.log('SKIPPED: the tests do not run as root.');
    return t.pass();
  }
  const { path, remove } = await temporaryDirectory();
  await (await lmdbMetadata({ directory: path })).close();
  await rm(join(path, 'gate'), { recursive: true });
  for (const name of ['', ...(await readdir(path))]) await chown(join(path, name), 1234, 1235);
  await (await lmdbMetadata({ directory: path })).close();
  const names = await readdir(join(path, 'gate'), { recursive: true });
  t.is(names.length, 6);
  for (const name of ['', ...names]) {
    const { uid, gid } = await stat(join(path, 'gate', name));
    t.deepEqual([uid, gid], [1234, 1235], name);
  }
  await remove();
});
