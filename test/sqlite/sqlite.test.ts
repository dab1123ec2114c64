import { execFile } from 'node:child_process';
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { MetadataStore } from '@bucketware/core';
import { sqliteMetadata } from '@bucketware/sqlite';
import test from 'ava';
import { temporaryDirectory } from '../drivers/fixtures.js';
import { testProcesses } from '../drivers/processes.js';
import { testSharing } from '../drivers/sharing.js';

/** The SQLite of the driver: two of them in one process do not notice each other's locks. */
const { DatabaseSync } =
  process.getBuiltinModule('node:sqlite') ?? (await import('@photostructure/sqlite'));

const onLinux = process.platform === 'linux' ? test : test.skip;

testProcesses('sqlite');

testSharing(async (t, number) => {
  const { path, remove } = await temporaryDirectory();
  const stores: MetadataStore[] = [];
  for (let left = number; left > 0; left--) {
    stores.push(await sqliteMetadata({ path: `${path}/records.db` }));
  }
  t.teardown(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await remove();
  });
  return stores;
});

test('a thread that ends without an error fails the commits, and does not keep the store open', async (t) => {
  const { path, remove } = await temporaryDirectory();
  t.teardown(remove);
  const program = fileURLToPath(new URL('./ended-thread.js', import.meta.url));
  const given = ['--import', pathToFileURL(program).href, program, `${path}/records.db`];
  const { stdout } = await promisify(execFile)(process.execPath, given, { timeout: 30_000 });
  t.deepEqual(JSON.parse(stdout), Array(2).fill('The thread that writes records ended.'));
});

test('only its owner can read the file', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const store = await sqliteMetadata({ path: `${path}/deep/records.db` });
  await store.commit({ put: [{ key: 'k', value: 1 }] });
  const places = ['deep', 'deep/records.db', 'deep/records.db-wal', 'deep/records.db-shm'];
  const modes = await Promise.all(places.map((place) => stat(`${path}/${place}`)));
  t.deepEqual(
    modes.map(({ mode }) => mode & 0o777),
    [0o700, 0o600, 0o600, 0o600],
  );
  await store.close();
  await remove();
});

test('a commit that SQLite rejects changes nothing, and the next one succeeds', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const file = `${path}/records.db`;
  const store = await sqliteMetadata({ path: file });
  await store.commit({ put: [{ key: 'k', value: 1 }] });
  const trigger = new DatabaseSync(file);
  trigger.exec(`CREATE TRIGGER full BEFORE INSERT ON records WHEN length(NEW.value) > 1000
    BEGIN SELECT raise(ABORT, 'too long'); END`);
  const failure = await t.throwsAsync(
    store.commit({ put: [{ key: 'l', value: 'x'.repeat(2000) }] }),
  );
  t.regex(failure?.message ?? '', /SQLite could not commit: too long/);
  t.is((await store.get('k'))?.value, 1);
  t.truthy(await store.commit({ put: [{ key: 'l', value: 1 }] }));
  trigger.close();
  await store.close();
  await remove();
});

test('a file that is not a database is rejected, and stays unchanged', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const file = `${path}/records.db`;
  await writeFile(file, 'x'.repeat(10_000));
  await t.throwsAsync(sqliteMetadata({ path: file }), { message: /not a database/ });
  t.is(await readFile(file, 'utf8'), 'x'.repeat(10_000));
  const options = { path: file, durabilty: 'full' };
  await t.throwsAsync(sqliteMetadata(options), { message: /Did you mean durability/ });
  await remove();
});

test('a database of another program is rejected, and stays unchanged', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const file = `${path}/app.db`;
  for (const tables of [
    'CREATE TABLE records (id INTEGER PRIMARY KEY, title TEXT)',
    'CREATE TABLE versions (id INTEGER PRIMARY KEY, name TEXT)',
    'CREATE TABLE songs (title TEXT)',
  ]) {
    await rm(file, { force: true });
    const app = new DatabaseSync(file);
    app.exec(tables);
    app.close();
    await chmod(file, 0o664);
    const before = await readFile(file);
    await t.throwsAsync(sqliteMetadata({ path: file }), {
      message: /app\.db contains other tables/,
    });
    t.deepEqual(await readFile(file), before);
    t.is((await stat(file)).mode & 0o777, 0o664);
    t.deepEqual(await readdir(path), ['app.db']);
    const again = new DatabaseSync(file);
    again.exec('CREATE TABLE more (title TEXT)');
    again.close();
  }
  await remove();
});

test('a store that others can read is for its owner alone once it is opened', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const file = `${path}/records.db`;
  await writeFile(file, '');
  const open = async () => {
    for (const name of await readdir(path)) await chmod(`${path}/${name}`, 0o664);
    const store = await sqliteMetadata({ path: file });
    const modes = await Promise.all([file, `${file}-wal`, `${file}-shm`].map((one) => stat(one)));
    t.deepEqual([...new Set(modes.map(({ mode }) => mode & 0o777))], [0o600]);
    return store;
  };
  const store = await open();
  await store.commit({ put: [{ key: 'k', value: 1 }] });
  await store.close();
  // Earlier versions made a store beside the tables of another program.
  const app = new DatabaseSync(file);
  app.exec('CREATE TABLE songs (title TEXT)');
  app.close();
  const again = await open();
  t.is((await again.get('k'))?.value, 1);
  await again.close();
  await remove();
});

onLinux('a second store in a process does not release the locks of the first', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const file = `${path}/records.db`;
  const first = await sqliteMetadata({ path: file });
  const { ino } = await stat(file);
  // The lock that every connection has on these bytes. Without it, another program would remove the
  // write-ahead log, and later commits with it.
  const isLocked = async () =>
    (await readFile('/proc/locks', 'utf8')).includes(`:${ino} 1073741826 1073742335`);
  t.true(await isLocked());
  const second = await sqliteMetadata({ path: file });
  t.true(await isLocked());
  await Promise.all([first.close(), second.close()]);
  await remove();
});

test('the log can be reset as soon as a snapshot is closed', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const file = `${path}/records.db`;
  const store = await sqliteMetadata({ path: file });
  const snapshot = await store.snapshot?.();
  await store.commit({ put: [{ key: 'k', value: 1 }] });
  const other = new DatabaseSync(file);
  const reset = other.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
  t.like(reset.get(), { busy: 1 });
  await snapshot?.close();
  t.like(reset.get(), { busy: 0 });
  other.close();
  await store.close();
  await remove();
});

test('an idle store does not keep its process running, and a closed one accepts no calls', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const store = await sqliteMetadata({ path: `${path}/records.db` });
  t.false(process.getActiveResourcesInfo().includes('Worker'));
  await Promise.all([store.close(), store.close()]);
  await t.throwsAsync(store.commit({}), { message: /closed/ });
  await remove();
});
