import fs from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { bytesDone, syncDirectory } from '@bucketware/core/contracts';
import { named } from './failures.js';

/**
 * Every call that this driver makes to the operating system. Files are plain descriptors, with no
 * layer between a request and the system call. The simulator of a failing disk implements this
 * interface.
 */
export interface FileOperations {
  /** New files are accessible only to their owner. */
  open(path: string, flags: string): Promise<number>;
  close(file: number): Promise<void>;
  /**
   * Resolves to the number of bytes read: possibly fewer than fit into `bytes`, and 0 at the end of
   * the file.
   */
  read(file: number, bytes: Uint8Array, position: number): Promise<number>;
  /** Resolves to the number of bytes written, which may be fewer than all. */
  write(file: number, bytes: Uint8Array, position: number): Promise<number>;
  /**
   * Writes chunks one after another. Resolves to the number of bytes written, which may be fewer
   * than all.
   */
  writeMany(file: number, chunks: readonly Uint8Array[], position: number): Promise<number>;
  truncate(file: number, size: number): Promise<void>;
  size(file: number): Promise<number>;
  sync(file: number): Promise<void>;
  /** Like `sync`, but without metadata that is not needed to read the data again, such as times. */
  syncData(file: number): Promise<void>;
  /** Makes the names in a directory durable. */
  syncDirectory(path: string): Promise<void>;
  /** Creates a directory that only its owner can access. */
  makeDirectory(path: string): Promise<void>;
  readDirectory(path: string): Promise<string[]>;
  sizeOf(path: string): Promise<number>;
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Keeps a directory open, to notice when another one is at its path. */
  watch(path: string): Promise<DirectoryWatch>;
}

/** A directory that is kept open. */
export interface DirectoryWatch {
  /** Whether the directory is still at its path. */
  isThere(): Promise<boolean>;
  close(): Promise<void>;
}

const open: (path: string, flags: string, mode: number) => Promise<number> = promisify(fs.open);
const close = promisify(fs.close);
const fstat = promisify(fs.fstat);
const fchown = promisify(fs.fchown);
const sync = promisify(fs.fsync);
const syncData = promisify(fs.fdatasync);

/**
 * The owner of the directory in which root creates something; `undefined` if that is root, and for
 * other users. If root runs a command on a storage, its app must still be able to read and remove
 * what the command has stored. Only new files are given away, and never the target of a link: the
 * owner of the directory could put one there.
 */
async function otherOwner(path: string): Promise<fs.Stats | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await fs.promises.stat(dirname(path));
  return owner.uid === 0 ? undefined : owner;
}

/** Not every root may give files away, such as that of some containers and network mounts. */
function unlessRefused(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPERM' && error.code !== 'EINVAL') throw error;
}

export const systemFiles: FileOperations = {
  open: async (path, flags) => {
    const file = await open(path, flags, 0o600).catch(named);
    const owner = flags === 'wx' ? await otherOwner(path) : undefined;
    if (owner) await fchown(file, owner.uid, owner.gid).catch(unlessRefused);
    return file;
  },
  close,
  read: (file, bytes, position) =>
    bytesDone((done) => fs.read(file, bytes, 0, bytes.byteLength, position, done)),
  write: (file, bytes, position) =>
    bytesDone((done) => fs.write(file, bytes, 0, bytes.byteLength, position, done)).catch(named),
  writeMany: (file, chunks, position) =>
    bytesDone((done) => fs.writev(file, chunks, position, done)).catch(named),
  truncate: promisify(fs.ftruncate),
  size: async (file) => (await fstat(file)).size,
  sync: (file) => sync(file).catch(named),
  syncData: (file) => syncData(file).catch(named),
  syncDirectory,
  makeDirectory: async (path) => {
    await fs.promises.mkdir(path, 0o700).catch(named);
    const owner = await otherOwner(path);
    if (owner) await fs.promises.lchown(path, owner.uid, owner.gid).catch(unlessRefused);
  },
  readDirectory: (path) => fs.promises.readdir(path),
  sizeOf: async (path) => (await fs.promises.stat(path)).size,
  link: (from, to) => fs.promises.link(from, to).catch(named),
  rename: fs.promises.rename,
  remove: fs.promises.unlink,
  watch: async (path) => {
    // The system does not use the number of an open directory again. Windows cannot open any.
    const file = process.platform === 'win32' ? undefined : await open(path, 'r', 0);
    const first = await numberOf(path);
    return {
      isThere: async () => (await numberOf(path)) === first,
      close: async () => (file === undefined ? undefined : close(file)),
    };
  },
};

/** The device and the number of a directory; `undefined` if there is none. */
async function numberOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await fs.promises.stat(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
