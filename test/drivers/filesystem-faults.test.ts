import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { BlobNotFoundError, BlobNotShareableError } from '@bucketware/core';
import { type FileOperations, filesystemBlobs, systemFiles } from '@bucketware/filesystem';
import test from 'ava';
import { temporaryDirectory, until } from './fixtures.js';

/** The number of bytes in one write. */
const MUCH = 512 * 1024;

/** An id in the shard `aa`, so that all blobs share one directory. */
const newId = (): string => `aa${randomBytes(15).toString('hex')}`;

const failure = (code: string, syscall: string): Error =>
  Object.assign(new Error(`${code}: ${syscall}`), { code, syscall });

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

/** A store in a real directory with a blob in `aa`. Some of its file operations are replaced. */
async function storeWith(replaced: Partial<FileOperations>) {
  const { path, remove } = await temporaryDirectory();
  const files = { ...systemFiles };
  const store = await filesystemBlobs({ directory: path, files });
  await store.write(newId(), chunks('first'));
  Object.assign(files, replaced);
  return { store, remove, files };
}

for (const [slow, calls] of Object.entries({
  'its file': ['open', 'write', 'directory aa', 'file', 'close'],
  'its directory': ['open', 'write', 'file', 'close', 'directory aa'],
})) {
  test(`a write resolves when both are synced, however long ${slow} takes`, async (t) => {
    const done: string[] = [];
    let isWriting = true;
    const after = async (call: string) => {
      while (isWriting && !done.includes(call)) await sleep(1);
    };
    const { store, remove } = await storeWith({
      open: async (...args) => {
        done.push('open');
        return systemFiles.open(...args);
      },
      writeMany: async (...args) => {
        const written = await systemFiles.writeMany(...args);
        done.push('write');
        return written;
      },
      sync: async (file) => {
        if (slow === 'its file') await after('directory aa');
        await systemFiles.sync(file);
        done.push('file');
      },
      close: async (file) => {
        await systemFiles.close(file);
        done.push('close');
      },
      syncDirectory: async (path) => {
        if (slow === 'its directory') await after('close');
        await systemFiles.syncDirectory(path);
        done.push(`directory ${path.slice(-2)}`);
      },
    });
    const id = newId();
    await store.write(id, chunks('one', 'two'));
    t.deepEqual(done, calls);
    done.length = 0;
    isWriting = false;
    await store.share(id, newId());
    t.deepEqual(done, ['directory aa']);
    await remove();
  });
}

test('a directory is durable before the first blob is written to it', async (t) => {
  const calls: string[] = [];
  const { store, remove } = await storeWith({
    makeDirectory: async (path) => {
      calls.push(`make ${path.slice(-2)}`);
      await sleep(20);
      await systemFiles.makeDirectory(path);
    },
    syncDirectory: async (path) => {
      await systemFiles.syncDirectory(path);
      calls.push(/\/[0-9a-f]{2}$/.test(path) ? `sync ${path.slice(-2)}` : 'sync');
    },
    open: (path, flags) => {
      calls.push(`open ${path.split('/').at(-2)}`);
      return systemFiles.open(path, flags);
    },
  });
  const inB = () => `bb${newId().slice(2)}`;
  await Promise.all([store.write(inB(), chunks('x')), store.write(inB(), chunks('y'))]);
  const opened = calls.indexOf('open bb');
  t.deepEqual(calls.slice(0, opened), ['make bb', 'make bb', 'sync']);
  calls.length = 0;
  await store.write(inB(), chunks('z'));
  t.deepEqual(calls, ['open bb', 'sync bb']);
  await remove();
});

test('opening makes durable what an earlier process may have left undone', async (t) => {
  const { path, remove } = await temporaryDirectory();
  await mkdir(`${path}/bb`);
  const synced: string[] = [];
  const syncDirectory = async (directory: string) => void synced.push(directory);
  const store = await filesystemBlobs({
    directory: path,
    files: { ...systemFiles, syncDirectory },
  });
  t.deepEqual(synced, [path]);
  await store.write(`bb${newId().slice(2)}`, chunks('x'));
  t.deepEqual(synced, [path, `${path}/bb`]);
  await remove();
});

test('no blob is written to a new directory whose name could not be synced', async (t) => {
  const { store, remove, files } = await storeWith({
    syncDirectory: () => Promise.reject(failure('EIO', 'fsync')),
  });
  const inB = () => `bb${newId().slice(2)}`;
  await t.throwsAsync(store.write(inB(), chunks('x')), { code: 'EIO' });
  files.syncDirectory = systemFiles.syncDirectory;
  await t.throwsAsync(store.write(inB(), chunks('x')), { code: 'EIO' });
  await t.notThrowsAsync(store.write(newId(), chunks('x')));
  await remove();
});

test('one directory sync covers all files that were created before it began', async (t) => {
  let syncs = 0;
  const { store, remove } = await storeWith({
    syncDirectory: async (path) => {
      syncs++;
      await sleep(50);
      await systemFiles.syncDirectory(path);
    },
  });
  await Promise.all(Array.from({ length: 40 }, () => store.write(newId(), chunks('x'))));
  t.true(syncs >= 1 && syncs <= 4, `${syncs} syncs`);
  await remove();
});

test('a call never relies on a directory sync that began before it', async (t) => {
  const begun: (() => void)[] = [];
  let closed = 0;
  const { store, remove } = await storeWith({
    close: async (file) => {
      await systemFiles.close(file);
      closed++;
    },
    syncDirectory: () => new Promise((resolve) => begun.push(resolve)),
  });
  const first = store.write(newId(), chunks('x'));
  await until(() => begun.length === 1);
  let served = false;
  const second = store.write(newId(), chunks('x')).then(() => {
    served = true;
  });
  await until(() => closed === 2);
  begun[0]?.();
  await first;
  await until(() => begun.length === 2);
  t.false(served);
  begun[1]?.();
  await second;
  await remove();
});

test('a file is not closed during a write when its source fails', async (t) => {
  const events: string[] = [];
  const { store, remove } = await storeWith({
    write: async (...args) => {
      await sleep(50);
      events.push('written');
      return systemFiles.write(...args);
    },
    close: async (file) => {
      events.push('closed');
      await systemFiles.close(file);
    },
  });
  const failing = async function* () {
    yield Buffer.alloc(MUCH);
    throw new Error('gone');
  };
  await t.throwsAsync(store.write(newId(), failing()), { message: 'gone' });
  t.deepEqual(events, ['written', 'closed']);
  await remove();
});

test('short writes are completed', async (t) => {
  const { store, remove } = await storeWith({
    write: (file, bytes, position) => systemFiles.write(file, bytes.subarray(0, 3), position),
    writeMany: (file, [first, second], position) => {
      const part = (second as Uint8Array).subarray(0, 1);
      return systemFiles.writeMany(file, [first as Uint8Array, part], position);
    },
  });
  const id = newId();
  t.deepEqual(await store.write(id, chunks('a ', 'longer', ' ', 'piece')), { size: 14 });
  t.is(String(await (await store.read(id, { start: 0, end: 14 })).toArray()), 'a longer piece');
  await remove();
});

test('chunks from the network are collected, but only for 32 sources at a time', async (t) => {
  const writes: number[] = [];
  const { store, remove } = await storeWith({
    write: (file, bytes, position) => {
      writes.push(bytes.byteLength);
      return systemFiles.write(file, bytes, position);
    },
    writeMany: (file, parts, position) => {
      writes.push(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
      return systemFiles.writeMany(file, parts, position);
    },
  });
  const many = Array.from({ length: 20 }, (_, index) => Buffer.alloc(MUCH / 8, `${index}`));
  const id = newId();
  await store.write(id, Readable.from(many));
  t.deepEqual(writes, [MUCH, MUCH, MUCH / 2]);
  const all = await (await store.read(id, { start: 0, end: 2.5 * MUCH })).toArray();
  t.true(Buffer.concat(all).equals(Buffer.concat(many)));

  writes.length = 0;
  const ends: (() => void)[] = [];
  const waiting = async function* () {
    yield Buffer.from('a');
    await new Promise<void>((resolve) => ends.push(resolve));
    yield Buffer.from('b');
  };
  const slow = Array.from({ length: 40 }, () => store.write(newId(), waiting()));
  await until(() => ends.length === 40 && writes.length === 8);
  for (const end of ends) end();
  await Promise.all(slow);
  t.is(writes.filter((bytes) => bytes === 2).length, 32);
  await remove();
});

test('only a few small chunks are collected, because each takes more memory than its data', async (t) => {
  const writes: number[] = [];
  const { store, remove } = await storeWith({
    writeMany: (file, parts, position) => {
      writes.push(parts.length);
      return systemFiles.writeMany(file, parts, position);
    },
  });
  const id = newId();
  const text = 'abcdef'.repeat(100);
  t.deepEqual(await store.write(id, chunks(...text)), { size: 600 });
  t.deepEqual(writes, [256, 256, 88]);
  t.is(String(await (await store.read(id, { start: 0, end: 600 })).toArray()), text);
  await remove();
});

test('a failed write or sync rejects, is never retried, and closes the file', async (t) => {
  for (const operation of ['write', 'sync'] as const) {
    const calls: string[] = [];
    const { store, remove } = await storeWith({
      [operation]: async () => {
        calls.push(operation);
        throw failure('EIO', operation);
      },
      close: async (file) => {
        calls.push('close');
        await systemFiles.close(file);
      },
    });
    await t.throwsAsync(store.write(newId(), chunks('x')), { code: 'EIO' });
    t.deepEqual(calls, [operation, 'close']);
    await remove();
  }
});

test('a write that fails while the source is slow causes no unhandled rejection', async (t) => {
  const { store, remove } = await storeWith({
    write: () => Promise.reject(failure('ENOSPC', 'write')),
  });
  const slow = async function* () {
    yield Buffer.alloc(MUCH);
    await sleep(50);
    yield Buffer.from('y');
  };
  await t.throwsAsync(store.write(newId(), slow()), { code: 'ENOSPC' });
  await remove();
});

test('a directory whose sync failed accepts no more blobs until the store is opened again', async (t) => {
  const { store, remove, files } = await storeWith({
    syncDirectory: () => Promise.reject(failure('EIO', 'fsync')),
  });
  await t.throwsAsync(store.write(newId(), chunks('x')), { code: 'EIO' });
  files.syncDirectory = systemFiles.syncDirectory;
  await t.throwsAsync(store.write(newId(), chunks('x')), { code: 'EIO' });
  await remove();
});

for (const code of ['ENOSPC', 'EDQUOT']) {
  test(`a directory whose sync failed with ${code} accepts blobs when there is space`, async (t) => {
    const { store, remove, files } = await storeWith({});
    for (const shard of ['aa', 'bb']) {
      const id = () => `${shard}${newId().slice(2)}`;
      files.syncDirectory = () => Promise.reject(failure(code, 'fsync'));
      await t.throwsAsync(store.write(id(), chunks('x')), { code });
      await t.throwsAsync(store.remove(id()), { code });
      const synced: string[] = [];
      files.syncDirectory = async (path) => {
        synced.push(path.slice(-2));
        await systemFiles.syncDirectory(path);
      };
      await t.notThrowsAsync(store.write(id(), chunks('x')));
      t.is(synced.at(-1), shard);
    }
    await remove();
  });
}

test('opening a directory for its sync is retried', async (t) => {
  const { store, remove, files } = await storeWith({
    syncDirectory: () => Promise.reject(failure('EMFILE', 'open')),
  });
  await t.throwsAsync(store.write(newId(), chunks('x')), { code: 'EMFILE' });
  files.syncDirectory = systemFiles.syncDirectory;
  await t.notThrowsAsync(store.write(newId(), chunks('x')));
  await remove();
});

test('if the file system has no hard links, share reports that and creates no file', async (t) => {
  for (const code of ['EMLINK', 'EXDEV', 'EPERM', 'ENOTSUP']) {
    const { store, remove } = await storeWith({
      link: () => Promise.reject(failure(code, 'link')),
    });
    const [id, as] = [newId(), newId()];
    await store.write(id, chunks('shared'));
    await t.throwsAsync(store.share(id, as), { instanceOf: BlobNotShareableError });
    await t.throwsAsync(store.read(as, { start: 0, end: 6 }), { instanceOf: BlobNotFoundError });
    await remove();
  }
});
