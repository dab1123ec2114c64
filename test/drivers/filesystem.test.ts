import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, rmdir, truncate, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { BlobNotFoundError } from '@bucketware/core';
import { filesystemBlobs } from '@bucketware/filesystem';
import test from 'ava';
import { openFiles } from '../http/open-files.js';
import { temporaryDirectory } from './fixtures.js';

const newId = (): string => randomBytes(16).toString('hex');

async function* chunks(count: number, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < count; sent++) yield Buffer.alloc(size, sent);
}

async function directoryAndStore() {
  const { path, remove } = await temporaryDirectory();
  return { path, remove, store: await filesystemBlobs({ directory: path }) };
}

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('reads and writes that are given up leave no file open', async (t) => {
  const { path, remove, store } = await directoryAndStore();
  const id = newId();
  await store.write(id, chunks(40));
  const range = { start: 0, end: 40 * 65_536 };
  for (let round = 0; round < 20; round++) {
    (await store.read(id, range)).destroy();
    const begun = await store.read(id, range);
    begun.resume();
    await once(begun, 'data');
    begun.destroy();
    await buffer(await store.read(id, { start: 5, end: 5 }));
    (await store.read(id, { start: 5, end: 5 })).destroy();
    await t.throwsAsync(store.read(id, { start: 0, end: 1e9 }));
    const failing = async function* () {
      yield* chunks(3);
      throw new Error('gone');
    };
    await t.throwsAsync(store.write(newId(), failing()), { message: 'gone' });
    await t.throwsAsync(store.append(id, range.end, failing()), { message: 'gone' });
    const controller = new AbortController();
    const aborting = async function* () {
      yield* chunks(3);
      controller.abort(new Error('enough'));
      yield* chunks(3);
    };
    await t.throwsAsync(store.write(newId(), aborting(), { signal: controller.signal }));
    await t.throwsAsync(store.write(id, chunks(1)), { code: 'EEXIST' });
  }
  for (let wait = 0; wait < 50 && (await openFiles(path)) > 0; wait++) await sleep(20);
  t.is(await openFiles(path), 0);
  await remove();
});

test('a file that is truncated while it is read fails the stream', async (t) => {
  const { path, remove, store } = await directoryAndStore();
  const id = newId();
  await store.write(id, chunks(40));
  const stream = await store.read(id, { start: 0, end: 40 * 65_536 });
  await once(stream, 'readable');
  await truncate(`${path}/${id.slice(0, 2)}/${id}`, 1_000_000);
  await t.throwsAsync(buffer(stream), { message: /has 1000000 bytes/ });
  await remove();
});

test('a blob is a file named by its id, in the directory of its first two digits', async (t) => {
  const { path, remove, store } = await directoryAndStore();
  t.deepEqual(await readdir(path), []);
  const id = newId();
  await store.write(id, chunks(1, 10));
  t.deepEqual(await readFile(`${path}/${id.slice(0, 2)}/${id}`), Buffer.alloc(10));
  await store.identify('mine');
  const identity = JSON.parse(await readFile(`${path}/storage.json`, 'utf8'));
  t.deepEqual(identity, { storageId: 'mine', layout: 1 });
  t.deepEqual((await readdir(path)).sort(), [id.slice(0, 2), 'storage.json'].sort());
  await remove();
});

test('blobs of other processes are listed, and leftovers of failed writes are removed', async (t) => {
  const { path, remove, store } = await directoryAndStore();
  const other = await filesystemBlobs({ directory: path });
  const ids = ['aa', 'ab', 'aa'].map((start) => start + newId().slice(2));
  for (const id of ids) await other.write(id, chunks(1, 10));
  const listed: string[] = [];
  for await (const { id } of store.list()) listed.push(id);
  t.deepEqual(listed.sort(), ids.sort());
  await store.share(ids[0] as string, `ab${newId().slice(2)}`);
  await store.remove(`ff${newId().slice(2)}`);
  await t.throwsAsync(store.read(`ff${newId().slice(2)}`, { start: 0, end: 1 }), {
    name: 'BlobNotFoundError',
  });
  await remove();
});

test('a cleanup of empty directories stops no upload', async (t) => {
  const { path, remove, store } = await directoryAndStore();
  const named = (digit: string) => `ab${digit.repeat(30)}`;
  const [first, second, third, absent] = [named('1'), named('2'), named('3'), named('4')] as const;
  const source = `cd${'0'.repeat(30)}`;
  await store.write(first, chunks(1));
  await store.remove(first);
  await rmdir(`${path}/ab`);
  await store.remove(first);
  await Promise.all([store.write(second, chunks(1)), store.write(third, chunks(1))]);
  t.deepEqual((await readdir(`${path}/ab`)).sort(), [second, third]);

  await Promise.all([store.remove(second), store.remove(third), store.write(source, chunks(1))]);
  await rmdir(`${path}/ab`);
  await store.share?.(source, first);
  t.deepEqual(await readdir(`${path}/ab`), [first]);
  await t.throwsAsync(async () => store.share?.(absent, second), {
    instanceOf: BlobNotFoundError,
  });
  await remove();
});

test('while its disk is unavailable, no blob counts as removed', async (t) => {
  const { path, remove, store } = await directoryAndStore();
  const id = newId();
  await store.write(id, chunks(1, 10));
  await rename(path, `${path}.away`);
  await mkdir(path);
  await t.throwsAsync(store.remove(id), { code: 'EROFS' });
  await rmdir(path);
  await rename(`${path}.away`, path);
  await store.remove(id);
  await t.throwsAsync(store.read(id, { start: 0, end: 1 }), { name: 'BlobNotFoundError' });
  await remove();
});

test('a directory with an unknown layout is rejected, and stray files are not blobs', async (t) => {
  const { path, remove, store } = await directoryAndStore();
  await mkdir(`${path}/ab`);
  await mkdir(`${path}/lost+found`);
  await writeFile(`${path}/ab/notes.txt`, 'x');
  for await (const blob of store.list()) t.fail(`listed ${blob.id}`);
  await writeFile(`${path}/storage.json`, '{"storageId":"x","layout":2}');
  await t.throwsAsync(store.identity(), { message: /layout 1/ });
  await t.throwsAsync(filesystemBlobs({ directory: path }), { message: /layout 1/ });
  await remove();
});

test('an unknown durability is rejected', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const options = { directory: path, durability: 'ful' as 'full' };
  await t.throwsAsync(filesystemBlobs(options), { instanceOf: TypeError });
  await remove();
});
