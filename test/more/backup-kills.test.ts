import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { fill, opened, restored, textOf } from '../backup/fixtures.js';
import { directoryOf } from '../drivers/fixtures.js';

const program = fileURLToPath(new URL('../backup/backup-process.js', import.meta.url));
const MINUTE = 60_000;

/** Another process whose clock is off by `skew`, after its backup has copied this many blobs. */
async function backingUp(directory: string, copied: number, skew = 0): Promise<ChildProcess> {
  const paths = [join(directory, 'data'), join(directory, 'backup')];
  const child = fork(program, [...paths, String(skew)]);
  for (;;) {
    const [count] = await once(child, 'message');
    if (count >= copied) return child;
  }
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

for (const [name, skew] of [
  ['right', 0],
  ['an hour ahead', 60 * MINUTE],
  ['an hour behind', -60 * MINUTE],
] as const) {
  test(`garbage collection waits for a backup by another process, but not for one that was killed (clock ${name})`, async (t) => {
    const directory = await directoryOf(t);
    let later = 0;
    const now = () => Date.now() + later;
    const storage = await opened(t, { directory: join(directory, 'data') }, { now });
    await fill(storage);
    for (let index = 0; index < 10; index++) {
      const [key, body] = [`blob/${index}`, randomBytes(70_000)];
      await storage.putObject({ bucket: 'notes', key, body });
    }
    await storage.backup(join(directory, 'backup'));
    await storage.putObject({ bucket: 'notes', key: 'new', body: randomBytes(70_000) });
    const child = await backingUp(directory, 0, skew);
    await storage.deleteObject({ bucket: 'notes', key: 'large' });
    // As long as the process renews its hold, which it does every twenty seconds.
    t.is((await storage.sweep()).removed, 0);
    await kill(child);
    later = 4 * MINUTE;
    t.is((await storage.sweep()).removed, 0);
    t.true((await textOf(await restored(t, join(directory, 'backup')), 'large')).length > 0);
    later = 6 * MINUTE;
    t.true((await storage.sweep()).removed > 0);
    const { present, blobs, missing } = await storage.backup(join(directory, 'backup'));
    t.deepEqual([present, missing], [blobs, []]);
    const now2 = await restored(t, join(directory, 'backup'));
    await t.throwsAsync(textOf(now2, 'large'), { code: 'NoSuchKey' });
  });
}

test('at whatever moment the process is killed, a restart continues at once', async (t) => {
  const directory = await directoryOf(t);
  const storage = await opened(t, { directory: join(directory, 'data') });
  await fill(storage);
  const backup = join(directory, 'backup');
  for (let round = 0; round < 3; round++) {
    for (let index = 0; index < 6; index++) {
      const [key, body] = [`${round}/${index}`, randomBytes(70_000)];
      await storage.putObject({ bucket: 'notes', key, body });
    }
    await kill(await backingUp(directory, 2 * round));
    if (round > 0) {
      const old = await restored(t, backup);
      await t.throwsAsync(textOf(old, `${round}/0`), { code: 'NoSuchKey' });
      t.true((await textOf(old, `${round - 1}/5`)).length > 0);
    }
    const { copied, missing } = await storage.backup(backup);
    t.deepEqual(missing, []);
    t.true(copied <= 12);
  }
  await restored(t, backup);
});
