import { constants } from 'node:fs';
import { copyFile, type FileHandle, open, opendir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { BlobNotFoundError, type BlobStore, checkBlobId } from '@bucketware/core/contracts';

const { COPYFILE_EXCL, COPYFILE_FICLONE, O_APPEND, O_WRONLY } = constants;

/** Stores each blob as a file that is named after its id. */
export function fileBlobs(directory: string): BlobStore {
  const owner = join(directory, 'owner');
  const pathOf = (id: string) => {
    checkBlobId(id);
    return join(directory, id);
  };
  const openBlob = async (id: string, flags: string | number) =>
    open(pathOf(id), flags).catch(notFound(id));
  return {
    identity: () => readFile(owner, 'utf8').catch(unlessAbsent),
    async identify(storeId) {
      await using(await open(owner, 'w'), (file) => file.writeFile(storeId));
      await sync(directory);
    },
    async write(id, source, options) {
      const size = await using(await open(pathOf(id), 'wx'), (file) =>
        fill(file, 0, source, options),
      );
      await sync(directory);
      return { size };
    },
    async append(id, position, source, options) {
      const file = await openBlob(id, O_WRONLY | O_APPEND);
      const size = await using(file, async () => {
        if ((await file.stat()).size < position) throw new Error(`${id} ends before ${position}.`);
        await file.truncate(position); // No record has ever referred to the data after it.
        return fill(file, position, source, options);
      });
      return { size };
    },
    async read(id, { start, end }) {
      const file = await openBlob(id, 'r');
      const { size } = await file.stat();
      if (size >= end && start < end) return file.createReadStream({ start, end: end - 1 });
      await file.close();
      if (size < end) throw new Error(`The blob ${id} has ${size} bytes, not ${end}.`);
      return Readable.from([]);
    },
    async share(id, as) {
      await copyFile(pathOf(id), pathOf(as), COPYFILE_EXCL | COPYFILE_FICLONE).catch(notFound(id));
      await sync(pathOf(as));
      await sync(directory);
    },
    async remove(id) {
      await rm(pathOf(id), { force: true });
      await sync(directory);
    },
    async *list() {
      for await (const { name: id } of await opendir(directory)) {
        const found = id === 'owner' ? undefined : await stat(pathOf(id)).catch(unlessAbsent);
        if (found !== undefined) yield { id, size: found.size };
      }
    },
    async close() {},
  };
}

type WriteArguments = Parameters<BlobStore['write']>;

/** Writes the chunks from a position on, and resolves to the position after them. */
async function fill(
  file: FileHandle,
  size: number,
  source: WriteArguments[1],
  options: WriteArguments[2],
) {
  options?.signal?.throwIfAborted();
  for await (const bytes of source) {
    options?.signal?.throwIfAborted();
    await file.writeFile(bytes);
    size += bytes.length;
  }
  return size;
}

/** Syncs a file after its use, and closes it in any case. */
async function using<T>(file: FileHandle, use: (file: FileHandle) => Promise<T>): Promise<T> {
  try {
    const result = await use(file);
    await file.sync();
    return result;
  } finally {
    await file.close();
  }
}

/** Also for directories: without it, a power cut may lose a name or bring it back. */
const sync = async (path: string) => using(await open(path, 'r'), async () => {});

const notFound = (id: string) => (error: NodeJS.ErrnoException) => {
  throw error.code === 'ENOENT' ? new BlobNotFoundError(id, { cause: error }) : error;
};

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
