import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { keyvMetadata } from '@bucketware/keyv';
import { openStorage, restoreStorage } from '@bucketware/storage';
import test, { type ExecutionContext } from 'ava';
import Keyv from 'keyv';
import { directoryOf } from '../drivers/fixtures.js';
import { blobsIn, fill, imageOf, LARGE, opened, restored, textOf } from './fixtures.js';

/** A storage and a backup of it. */
async function backedUp(t: ExecutionContext) {
  const directory = await directoryOf(t);
  const storage = await opened(t, { directory: join(directory, 'data') });
  await fill(storage);
  const backup = join(directory, 'backup');
  await storage.backup(backup);
  return { directory, storage, backup };
}

const recordsOf = async (backup: string): Promise<string> =>
  join(backup, (await readdir(backup)).find((name) => name.startsWith('records-')) as string);

test('a directory with other files, or of another storage, is rejected and stays unchanged', async (t) => {
  const { directory, storage, backup } = await backedUp(t);
  const strange = join(directory, 'strange');
  await mkdir(strange);
  await writeFile(join(strange, 'thesis.txt'), 'mine');
  await t.throwsAsync(storage.backup(strange), { message: /is not empty: it contains thesis.txt/ });
  t.deepEqual(await readdir(strange), ['thesis.txt']);
  await t.throwsAsync(storage.backup(join(directory, 'data')), { message: /data of a storage/ });
  await t.throwsAsync(storage.backup(join(directory, 'data', 'blobs')), {
    message: /is not empty/,
  });
  const other = await opened(t, { directory: join(directory, 'other') });
  await t.throwsAsync(other.backup(backup), { message: /contains backups of the storage/ });
  await t.throwsAsync(other.backup(''), { message: /needs the path of a directory/ });
  const misspelled = { onProgres: () => {} } as object;
  await t.throwsAsync(other.backup(backup, misspelled), { message: /Did you mean onProgress/ });
  await restored(t, backup);
});

test('the directory of a storage is not used for backups, whatever its path', async (t) => {
  const directory = await directoryOf(t);
  const data = join(directory, 'data');
  const storage = await opened(t, { directory: data, metadata: `sqlite:${directory}/records.db` });
  await fill(storage);
  await symlink(data, join(directory, 'link'));
  await mkdir(join(directory, 'part'));
  await symlink(join(data, 'blobs'), join(directory, 'part', 'blobs'));
  const names = await readdir(data);
  for (const path of [data, relative('', data), `${directory}/link`, `${directory}/part`]) {
    await t.throwsAsync(storage.backup(path), { message: /contains the data of a storage/ });
  }
  t.deepEqual(await readdir(data), names);
  const begun = join(directory, 'begun');
  await mkdir(join(begun, 'blobs'), { recursive: true });
  await t.throwsAsync(storage.backup(begun), { message: /is not empty: it contains blobs/ });
  t.deepEqual((await storage.check()).missing, []);
});

test('a backup is neither opened as a storage nor the target of a copy', async (t) => {
  const { directory, storage, backup } = await backedUp(t);
  const empty = join(directory, 'empty');
  await (await opened(t, { directory: join(directory, 'new') })).backup(empty);
  await symlink(backup, join(directory, 'link'));
  for (const path of [backup, relative('', backup), join(directory, 'link'), empty]) {
    const place = { directory: path, metadata: 'memory' } as const;
    await t.throwsAsync(openStorage(place), { message: /is part of a backup/ });
    const restoring = restoreStorage({ from: backup, to: place });
    await t.throwsAsync(restoring, { message: /is part of a backup/ });
  }
  // Its blobs without the rest.
  const blobs = await imageOf(t, join(backup, 'blobs'));
  await t.throwsAsync(openStorage({ metadata: 'memory', blobs: `filesystem:${blobs}` }), {
    message: /blobs that belong to no storage/,
  });
  await storage.backup(backup);
  await restored(t, backup);
  // A file of someone else has the same name.
  await mkdir(join(directory, 'app'));
  await writeFile(join(directory, 'app', 'backup.json'), '{"every": "day"}');
  await opened(t, { directory: join(directory, 'app') });
});

test('an incomplete backup is not restored', async (t) => {
  const { directory, storage, backup } = await backedUp(t);
  const to = { directory: join(directory, 'new') };
  const restoring = (from: string) => restoreStorage({ from, to });
  await t.throwsAsync(restoring(join(directory, 'none')), { message: /is not a backup/ });
  const stop = AbortSignal.abort(new Error('not now'));
  const signal = AbortSignal.any([stop]);
  const unfinished = join(directory, 'unfinished');
  const cut = new AbortController();
  const onProgress = () => cut.abort(new Error('enough'));
  await t.throwsAsync(storage.backup(unfinished, { onProgress, signal: cut.signal }), {
    message: 'enough',
  });
  await t.throwsAsync(storage.backup(unfinished, { signal }), { message: 'not now' });
  await t.throwsAsync(restoring(unfinished), { message: /was never completed/ });

  const damaged = async (change: (path: string, bytes: Buffer) => Promise<unknown>) => {
    const image = await imageOf(t, backup);
    const path = await recordsOf(image);
    await change(path, await readFile(path));
    await t.throwsAsync(restoring(image), { message: /The backup in .* is damaged/ });
  };
  await damaged((path, bytes) => truncate(path, bytes.length - 1));
  await damaged((path, bytes) => truncate(path, bytes.length >> 1));
  await damaged((path, bytes) =>
    writeFile(path, bytes.fill(0, bytes.length >> 1, (bytes.length >> 1) + 1)),
  );
  await damaged((path) => rm(path));
  const image = await imageOf(t, backup);
  for (const last of ['null', '{}', '{"file": "../records"}']) {
    const manifest = `{"format": 1, "storage": "x", "last": ${last}}`;
    for (const text of ['{"format": 2}', manifest]) {
      await writeFile(join(image, 'backup.json'), text);
      await t.throwsAsync(restoring(image), { message: /is damaged, or was written by another/ });
    }
  }
});

test('a backup is restored only to an empty place', async (t) => {
  const { directory, storage, backup } = await backedUp(t);
  const data = { directory: join(directory, 'data') };
  await t.throwsAsync(restoreStorage({ from: backup, to: data }), {
    message: /already contains the storage/,
  });
  const records = { directory: join(directory, 'data'), metadata: `lmdb:${directory}/new` };
  await t.throwsAsync(restoreStorage({ from: backup, to: records }), {
    message: /blobs of the target belong/,
  });
  t.true((await textOf(storage, 'large')) === `${LARGE}large`);
});

test('a backup with missing blobs is restored as far as possible, and the report names the rest', async (t) => {
  const { directory, storage, backup } = await backedUp(t);
  const ids = await blobsIn(backup);
  const pathOf = (id: string) => join(backup, 'blobs', id.slice(0, 2), id);
  const [lost, short, changed] = ids as [string, string, string];
  await rm(pathOf(lost));
  await truncate(pathOf(short), 1000);
  const file = await open(pathOf(changed), 'r+');
  await file.write(Buffer.from('?'), 0, 1, 500);
  await file.close();
  const { verified } = await restoreStorage({
    from: backup,
    to: { directory: join(directory, 'new') },
  });
  const found = verified.damaged.map(({ blob, problem }) => [blob, problem]);
  t.deepEqual(
    found.sort(),
    [
      [changed, 'damaged'],
      [lost, 'missing'],
      [short, 'short'],
    ].sort(),
  );
  // The next backup replaces what is missing.
  t.is((await storage.backup(backup)).copied, 2);
});

test('links in a backup lead neither to files of others nor to their removal', async (t) => {
  const { directory, storage, backup } = await backedUp(t);
  const others = join(directory, 'others');
  await mkdir(others);
  await writeFile(join(others, 'secret'), 'x'.repeat(LARGE.length * 2));
  await symlink(others, join(backup, 'blobs', 'link'));
  const [id] = (await blobsIn(backup)) as [string];
  const path = join(backup, 'blobs', id.slice(0, 2), id);
  await rm(path);
  await symlink(join(others, 'secret'), path);
  const to = { directory: join(directory, 'new') };
  const { verified } = await restoreStorage({ from: backup, to });
  t.deepEqual(
    verified.damaged.map(({ blob, problem }) => [blob, problem]),
    [[id, 'missing']],
  );
  t.is((await storage.backup(backup)).copied, 1);
  await restored(t, backup);
  t.deepEqual(await readdir(others), ['secret']);
});

test('a metadata store without snapshots is rejected', async (t) => {
  const directory = await directoryOf(t);
  const storage = await opened(t, {
    directory,
    metadata: await keyvMetadata(new Keyv(), { allowMemory: true }),
  });
  await t.throwsAsync(storage.backup(join(directory, 'backup')), { message: /has no snapshots/ });
});

test('a full disk ends a backup, and the previous one stays', async (t) => {
  const { storage } = await backedUp(t);
  const disk = await directoryOf(t);
  try {
    await promisify(execFile)('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]);
  } catch (error) {
    t.log(`SKIPPED: no small disk can be mounted here: ${(error as Error).message.trim()}`);
    return t.pass();
  }
  try {
    await storage.backup(disk);
    await storage.putObject({ bucket: 'notes', key: 'huge', body: randomBytes(5_000_000) });
    await t.throwsAsync(storage.backup(disk), {
      code: 'ENOSPC',
      message: /the previous backup is unchanged/,
    });
    await restored(t, disk);
    await storage.deleteObject({ bucket: 'notes', key: 'huge' });
    await storage.backup(disk);
  } finally {
    await promisify(execFile)('umount', ['-l', disk]);
  }
});
