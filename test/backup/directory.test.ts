import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { directoryOf } from '../drivers/fixtures.js';
import { fill, opened, restored } from './fixtures.js';

/** A storage without a backup, and a directory for one. */
async function prepared(t: ExecutionContext) {
  const directory = await directoryOf(t);
  const storage = await opened(t, { directory: join(directory, 'data') });
  await fill(storage, 1);
  return { storage, backup: join(directory, 'backup') };
}

const HASH = '0123456789abcdef0123456789abcdef';

for (const [name, content] of [
  [`incoming/${HASH}`, 'mine'],
  [`incoming/${HASH}/photo.jpg`, 'mine'],
  ['incoming/photo.jpg', 'mine'],
  ['lock', 'locked by 1'],
  ['lock', '{"pid": 1}'],
  ['lock/backup.json', 'mine'],
  ['lock-step.txt', 'mine'],
] as const) {
  test(`${name} of someone else, which contains ${content}, is kept`, async (t) => {
    const { storage, backup } = await prepared(t);
    const path = join(backup, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    const names = await readdir(backup);
    const message = `${backup} is not empty: it contains ${names}. Choose an empty directory.`;
    await t.throwsAsync(storage.backup(backup), { message });
    t.is(await readFile(path, 'utf8'), content);
    t.deepEqual(await readdir(backup), names);
  });
}

for (const name of ['incoming', 'blobs', 'blobs/00']) {
  test(`a backup does not follow a link in the place of ${name}`, async (t) => {
    const { storage, backup } = await prepared(t);
    await storage.backup(backup);
    const others = join(backup, '..', 'others');
    await mkdir(join(others, '00'), { recursive: true });
    await writeFile(join(others, HASH), 'mine');
    await writeFile(join(others, '00', HASH), 'mine');
    await rm(join(backup, name), { recursive: true, force: true });
    await symlink(others, join(backup, name));
    await t.throwsAsync(storage.backup(backup), { message: /is not a directory, .* Remove it/ });
    t.is(await readFile(join(others, HASH), 'utf8'), 'mine');
    t.is(await readFile(join(others, '00', HASH), 'utf8'), 'mine');
    await rm(join(backup, name));
    await storage.backup(backup);
    await restored(t, backup);
  });
}

test('a first backup that stopped before it wrote its manifest is continued', async (t) => {
  const { storage, backup } = await prepared(t);
  const [first, second] = ['1'.repeat(32), '2'.repeat(32)];
  const work = join(backup, 'incoming', second, first);
  await mkdir(work, { recursive: true });
  await writeFile(join(work, 'backup.json'), '{"format"');
  await writeFile(join(backup, `lock-${randomUUID()}`), '');
  await writeFile(join(backup, 'lock'), '');
  await utimes(join(backup, 'lock'), 0, 0);
  await storage.backup(backup);
  t.deepEqual(await readdir(join(backup, 'incoming')), []);
  await restored(t, backup);
});
