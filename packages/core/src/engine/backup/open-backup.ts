import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { BlobNotFoundError } from '../../contracts/blob-store.js';
import type { Entry, KeyRange } from '../../contracts/metadata-store.js';
import { systemCode } from '../../system-code.js';
import type { CopySource } from '../copying/copy-options.js';
import { BackupDirectory, type LastBackup } from './directory.js';
import { DirectoryLock } from './lock.js';
import { type Place, placesIn, readBlock } from './records-file.js';

/** The last complete backup in a directory, readable like the storage that it was taken from. */
export interface OpenBackup extends CopySource {
  /** Aborts if another call takes over the lock. Absent if no lock could be created. */
  readonly lost: AbortSignal | undefined;
  /** Rejects if another call may have removed blobs that this backup needs. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Throws when there is no complete backup, or when its records are damaged. */
export async function openBackup(path: string): Promise<OpenBackup> {
  const directory = new BackupDirectory(path);
  await lastBackup(directory);
  const lock = await lockIfPossible(path);
  try {
    // A call that has ended meanwhile may have replaced the backup.
    const { file } = await lastBackup(directory);
    const check = async () => (lock === undefined ? requireLast(directory, file) : lock.check());
    const name = directory.file(file);
    const records = await BackupRecords.open(name).catch(async (cause: Error) => {
      await check();
      throw new Error(`The backup in ${path} is damaged. ${name}: ${cause.message}`, { cause });
    });
    return {
      metadata: records,
      blobs: new BackupBlobs(directory, check, records.sizes),
      lost: lock?.lost,
      check,
      async close() {
        await records.close();
        await lock?.release();
      },
    };
  } catch (error) {
    await lock?.release();
    throw error;
  }
}

async function lastBackup(directory: BackupDirectory): Promise<LastBackup> {
  const { path } = directory;
  const manifest = await directory.readManifest();
  if (manifest === undefined) throw new Error(`${path} is not a backup: it has no backup.json.`);
  if (manifest.last === undefined) throw new Error(`The backup in ${path} was never completed.`);
  return manifest.last;
}

/** How a read-only or full disk answers. */
const CANNOT_WRITE: readonly unknown[] = ['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT'];

/** Locks the backup, unless its disk is read-only or full. */
const lockIfPossible = (path: string): Promise<DirectoryLock | undefined> =>
  DirectoryLock.take(path).catch(async (error: unknown) => {
    if (!CANNOT_WRITE.includes(systemCode(error))) throw error;
    await DirectoryLock.requireFree(path);
    return undefined;
  });

/** A backup removes blobs only after it has replaced the manifest. */
async function requireLast(directory: BackupDirectory, file: string): Promise<void> {
  if ((await lastBackup(directory)).file === file) return;
  throw new Error(
    `A newer backup was made to ${directory.path} during the restoration. Repeat the restoration.`,
  );
}

interface IndexedPlace extends Place {
  readonly firstKey: Buffer;
}

class BackupRecords {
  readonly sizes = new Map<string, number>();
  readonly #file: FileHandle;
  readonly #pages: IndexedPlace[] = [];

  /** Reads the whole file once. Throws if any byte differs from what was written. */
  static async open(path: string): Promise<BackupRecords> {
    const file = await open(path, 'r');
    try {
      const records = new BackupRecords(file);
      for await (const place of placesIn(file)) await records.#index(place);
      return records;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  async get(key: string): Promise<Entry | undefined> {
    const [entry] = await this.list({ prefix: key, start: key, limit: 1 });
    return entry?.key === key ? entry : undefined;
  }

  async list({ prefix, start = prefix, limit }: KeyRange): Promise<Entry[]> {
    const first = Buffer.from(start);
    const found: Entry[] = [];
    for (let at = this.#pageWith(first); at < this.#pages.length; at++) {
      const block = await readBlock(this.#file, this.#pages[at] as Place);
      for (const [key, value] of 'records' in block ? block.records : []) {
        if (Buffer.compare(Buffer.from(key), first) < 0) continue;
        if (found.length === limit || !key.startsWith(prefix)) return found;
        found.push({ key, value, version: '1' });
      }
    }
    return found;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #index(place: Place): Promise<void> {
    const block = await readBlock(this.#file, place);
    if ('blobs' in block) for (const [id, size] of block.blobs) this.sizes.set(id, size);
    const [first] = 'records' in block ? block.records : [];
    if (first !== undefined) this.#pages.push({ ...place, firstKey: Buffer.from(first[0]) });
  }

  /** The last page that begins at or before the key. */
  #pageWith(key: Buffer): number {
    let [low, high] = [0, this.#pages.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (Buffer.compare((this.#pages[middle] as IndexedPlace).firstKey, key) <= 0)
        low = middle + 1;
      else high = middle;
    }
    return Math.max(low - 1, 0);
  }
}

/** Lists the blobs that the backup actually has, with their current sizes. */
class BackupBlobs {
  readonly #directory: BackupDirectory;
  readonly #check: () => Promise<void>;
  readonly #sizes: ReadonlyMap<string, number>;

  constructor(
    directory: BackupDirectory,
    check: () => Promise<void>,
    sizes: ReadonlyMap<string, number>,
  ) {
    this.#directory = directory;
    this.#check = check;
    this.#sizes = sizes;
  }

  async *list(): AsyncGenerator<{ id: string; size: number }> {
    for (const [id, needed] of this.#sizes) {
      const size = await this.#directory.sizeOf(id);
      // Without the lock, the next backup may just have removed it.
      if (size === undefined) await this.#check();
      else yield { id, size: Math.min(size, needed) };
    }
  }

  async read(id: string, { start, end }: { start: number; end: number }): Promise<Readable> {
    if (!this.#sizes.has(id)) throw new BlobNotFoundError(id);
    if (start === end) return Readable.from([]);
    return createReadStream(this.#directory.blob(id), { start, end: end - 1 });
  }
}
