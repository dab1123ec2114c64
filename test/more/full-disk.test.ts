import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { filesystemBlobs } from '@bucketware/filesystem';
import { lmdbMetadata } from '@bucketware/lmdb';
import { openStorage } from '@bucketware/storage';
import test, { type ExecutionContext } from 'ava';
import { eventually, temporaryDirectory } from '../drivers/fixtures.js';

const run = promisify(execFile);

/** Runs `use` on a small disk, or reports why this machine cannot provide one. */
async function onSmallDisk(
  t: ExecutionContext,
  use: (directory: string) => Promise<void>,
  megabytes = 4,
): Promise<void> {
  const { path, remove } = await temporaryDirectory();
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path]);
  } catch (error) {
    t.log(`Skipped: no small disk can be mounted here: ${(error as Error).message.trim()}`);
    t.pass();
    return remove();
  }
  try {
    await use(path);
  } finally {
    await run('umount', ['-l', path]);
    await remove();
  }
}

test('writing a blob fails on a full disk, and works again when there is space', async (t) => {
  await onSmallDisk(t, async (directory) => {
    const store = await filesystemBlobs({ directory });
    const endless = async function* () {
      for (let sent = 0; sent < 200; sent++) yield randomBytes(65_536);
    };
    const small = async function* () {
      yield Buffer.from('small');
    };
    const [first, big, last] = ['aa', 'bb', 'cc'].map((start) => start.padEnd(32, '0'));
    await store.write(first as string, small());
    await t.throwsAsync(store.write(big as string, endless()), { code: 'ENOSPC' });
    await store.remove(big as string);
    // A busy system may give the space back a moment later.
    await eventually(async () => {
      await store.remove(last as string);
      await store.write(last as string, small());
    });
    const bytes = await (await store.read(first as string, { start: 0, end: 5 })).toArray();
    t.is(String(bytes), 'small');
  });
});

test('a commit fails on a full disk, and nothing of it is stored', async (t) => {
  await onSmallDisk(t, async (directory) => {
    const store = await lmdbMetadata({ directory });
    const value = randomBytes(300_000);
    let stored = 0;
    const failure = await t.throwsAsync(async () => {
      for (; stored < 100; stored++) {
        const put = [`a${stored}`, `b${stored}`].map((key) => ({ key, value }));
        await store.commit({ put });
      }
    });
    t.is((failure as NodeJS.ErrnoException).code, 'ENOSPC');
    t.is((await store.list({ prefix: '', limit: 1000 })).length, 2 * stored);
    t.truthy(await store.commit({ put: [{ key: 'small', value: 1 }], delete: ['a0', 'b0'] }));
    await store.close();
    const again = await lmdbMetadata({ directory });
    t.is((await again.list({ prefix: '', limit: 1000 })).length, 2 * stored - 1);
    await again.close();
  });
});

test('on a disk that others have filled, commits fail, deletions succeed, and the process continues', async (t) => {
  const use = async (directory: string) => {
    const store = await lmdbMetadata({ directory });
    const commit = (key: string, bytes: number) =>
      store.commit({ put: [{ key, value: 'x'.repeat(bytes) }] });
    const keys = Array.from({ length: 300 }, (_, at) => `key-${at}`);
    for (const key of keys) await commit(key, 60_000);
    const balloon = join(directory, 'balloon');
    const filling = open(balloon, 'w').then(async (file) => {
      const bytes = Buffer.alloc(65_536);
      try {
        for (;;) await file.write(bytes);
      } finally {
        await file.close();
      }
    });
    await t.throwsAsync(filling, { code: 'ENOSPC' });
    const codes = new Set<string | undefined>();
    for (let round = 0; round < 200; round++) {
      const sizes = [60_000, 5000, 200_000, 9000, 12_000];
      const commits = sizes.map((bytes, at) => commit(`${round}-${at}`, bytes));
      for (const outcome of await Promise.allSettled(commits)) {
        codes.add(outcome.status === 'rejected' ? outcome.reason.code : undefined);
      }
    }
    t.deepEqual([...codes].sort(), ['ENOSPC', undefined]);
    for (const key of keys.slice(0, 100)) t.truthy(await store.commit({ delete: [key] }));
    t.is((await store.getMany(keys)).filter((entry) => entry !== undefined).length, 200);
    await rm(balloon);
    t.truthy(await commit('last', 200_000));
    await store.close();
  };
  await onSmallDisk(t, use, 32);
});

test('on a full disk, objects can be deleted, and a sweep makes space for new ones', async (t) => {
  const use = async (directory: string) => {
    let time = Date.now();
    const storage = await openStorage({ directory, now: () => time, onError: () => {} });
    const bucket = 'bucket';
    await storage.putBucket({ bucket });
    const keys: string[] = [];
    for (let failures = 0, at = 0; failures < 60; at++) {
      const size = [60_000, 1000, 200_000, 9000, 100][at % 5] as number;
      const put = storage.putObject({ bucket, key: `${at}`, body: Buffer.alloc(size) });
      await put.then(
        () => keys.push(`${at}`),
        () => failures++,
      );
    }
    // Neither do records without data take the space that is kept for deletions.
    const initiate = async () => {
      for (let at = 0; at < 3000; at++) {
        await storage.initiateMultipartUpload({ bucket, key: `upload-${at}` });
      }
    };
    await t.throwsAsync(initiate(), { code: 'ENOSPC' });
    for (const key of keys) await storage.deleteObject({ bucket, key });
    time += 2 * 86_400_000;
    const { removed } = await storage.sweep();
    t.true(removed > 0);
    for (let at = 0; at < 20; at++) {
      await storage.putObject({ bucket, key: `new-${at}`, body: Buffer.alloc(200_000) });
    }
    t.deepEqual((await storage.check()).missing, []);
    await storage.close();
  };
  await onSmallDisk(t, use, 24);
});

test('on a full disk, no database is created, and the process continues', async (t) => {
  await onSmallDisk(t, async (directory) => {
    const balloon = join(directory, 'balloon');
    await writeFile(balloon, Buffer.alloc(4_100_000));
    const failing = lmdbMetadata({ directory: join(directory, 'records') });
    await t.throwsAsync(failing, { code: 'ENOSPC' });
    await rm(balloon);
    const store = await lmdbMetadata({ directory: join(directory, 'records') });
    t.truthy(await store.commit({ put: [{ key: 'k', value: 1 }] }));
    await store.close();
  });
});
