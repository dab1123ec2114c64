import { randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { filesystemBlobs } from '@bucketware/filesystem';
import { lmdbMetadata } from '@bucketware/lmdb';
import { openStorage } from '@bucketware/storage';
import test from 'ava';
import { temporaryDirectory } from './fixtures.js';

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o7777;

/** The modes of everything in a directory, such as `d700` and `f600`, without duplicates. */
async function modesIn(directory: string): Promise<string[]> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true });
  const modes = found.map(async (entry) => {
    const mode = await modeOf(join(entry.parentPath, entry.name));
    return (entry.isDirectory() ? 'd' : 'f') + mode.toString(8);
  });
  return [...new Set(await Promise.all(modes))].sort();
}

const onPosix = process.platform === 'win32' ? test.skip : test;

onPosix('all that a storage writes is for its owner alone', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const directory = join(path, 'made', 'data');
  const storage = await openStorage({ directory });
  const bucket = 'notes';
  await storage.putBucket({ bucket });
  await storage.putObject({ bucket, key: 'large', body: randomBytes(100_000) });
  await storage.putObject({ bucket, key: 'small', body: 'small' });
  await storage.copyObject({ bucket, key: 'copy', source: { bucket, key: 'large' } });
  await storage.appendObject({ bucket, key: 'log', body: 'line' });
  t.deepEqual(await modesIn(path), ['d700', 'f600']);
  await storage.close();
  t.deepEqual(await modesIn(path), ['d700', 'f600']);
  await remove();
});

onPosix('what root stores in the storage of another user belongs to that user', async (t) => {
  if (process.getuid?.() !== 0) {
    t.log('SKIPPED: the tests do not run as root.');
    return t.pass();
  }
  const { path, remove } = await temporaryDirectory();
  t.teardown(remove);
  await chown(path, 1234, 1235);
  const blobs = await filesystemBlobs({ directory: path });
  const id = randomBytes(16).toString('hex');
  await blobs.write(id, Readable.from([randomBytes(10)]));
  // That user may prepare the directory.
  const victim = join(path, '..', `victim-${process.pid}`);
  t.teardown(() => rm(victim, { force: true }));
  await writeFile(victim, 'of root', { mode: 0o600 });
  await symlink(victim, join(path, `storage.json.${process.pid}.tmp`));
  await blobs.identify('an id');
  await blobs.close();
  t.deepEqual([(await stat(victim)).uid, await readFile(victim, 'utf8')], [0, 'of root']);
  for (const name of ['storage.json', id.slice(0, 2), `${id.slice(0, 2)}/${id}`]) {
    const { uid, gid } = await stat(join(path, name));
    t.deepEqual([uid, gid], [1234, 1235], name);
  }
});

onPosix('a directory that every user could enter is closed when it is opened', async (t) => {
  const { path, remove } = await temporaryDirectory();
  for (const [before, after] of [
    [0o755, 0o700],
    [0o750, 0o750],
    [0o1777, 0o1777],
  ] as const) {
    for (const driver of ['records', 'blobs']) {
      const directory = join(path, driver);
      await mkdir(directory, { recursive: true });
      await chmod(directory, before);
      const open = driver === 'records' ? lmdbMetadata : filesystemBlobs;
      await (await open({ directory })).close();
      t.is(await modeOf(directory), after);
    }
  }
  await remove();
});
