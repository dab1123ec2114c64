import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import {
  BlobNotShareableError,
  BlobTooShortError,
  checkOptions,
  type GrowingBlobStore,
  isBlobId,
  type KnownOptions,
  kinds,
  makeDirectory,
  placeLost,
  type ReadOptions,
} from '@bucketware/core/contracts';
import { isLinkRefused, notFound, unlessAbsent } from './failures.js';
import { type DirectoryWatch, type FileOperations, systemFiles } from './files.js';
import { checkDirectory, readIdentity, writeIdentity } from './identity.js';
import { pathOf, Shards } from './layout.js';
import { BlobReadStream } from './read-stream.js';
import { coalesce } from './sync.js';
import { Gathering, writeSource } from './write-stream.js';

/** The options of {@link filesystemBlobs}. */
export interface FilesystemBlobsOptions {
  /** The directory for the blobs, created when missing. All of it must be on one file system. */
  readonly directory: string;
  /**
   * `full` (default): when a call resolves, bytes, name and directory are on the disk. `relaxed`:
   * the operating system decides when to write, so a power loss may lose recent data.
   */
  readonly durability?: 'full' | 'relaxed';
  /** For tests: replaces the system's calls. The directory itself must exist. */
  readonly files?: FileOperations;
}

const OPTIONS: KnownOptions<FilesystemBlobsOptions> = {
  directory: kinds.required(kinds.text),
  durability: kinds.oneOf('full', 'relaxed'),
  files: kinds.anObject,
};

/**
 * Stores the data of objects in a directory. Each blob is a file that is named after its id.
 * Rejects if the directory has the layout of another version, or if it is part of a backup.
 */
export async function filesystemBlobs(options: FilesystemBlobsOptions): Promise<GrowingBlobStore> {
  checkOptions('filesystemBlobs()', options, OPTIONS);
  const { durability = 'full', files = systemFiles } = options;
  // The process may change its working directory later.
  const directory = resolve(options.directory);
  if (files === systemFiles) await makeDirectory(directory);
  await checkDirectory(files, directory);
  const durable = durability === 'full';
  const shards = await Shards.open(files, directory, durable);
  return new FilesystemBlobs(directory, durable, files, shards, await files.watch(directory));
}

type WriteOptions = { readonly signal?: AbortSignal | undefined };

class FilesystemBlobs implements GrowingBlobStore {
  readonly #directory: string;
  readonly #durable: boolean;
  readonly #files: FileOperations;
  readonly #shards: Shards;
  readonly #watch: DirectoryWatch;
  /** Rejects if another directory is at the path by now. */
  readonly #requirePlace: () => Promise<void>;
  #closing: Promise<void> | undefined;
  readonly #gathering = new Gathering();

  constructor(
    directory: string,
    durable: boolean,
    files: FileOperations,
    shards: Shards,
    watch: DirectoryWatch,
  ) {
    this.#directory = directory;
    this.#durable = durable;
    this.#files = files;
    this.#shards = shards;
    this.#watch = watch;
    this.#requirePlace = coalesce(async () => {
      if (!(await watch.isThere())) throw placeLost(directory);
    });
  }

  async identity(): Promise<string | undefined> {
    await this.#requirePlace();
    return readIdentity(this.#files, this.#directory);
  }

  identify(storeId: string): Promise<void> {
    return writeIdentity(this.#files, this.#directory, storeId);
  }

  async write(
    id: string,
    source: AsyncIterable<Uint8Array>,
    options?: WriteOptions,
  ): Promise<{ size: number }> {
    let named: Promise<void> | undefined;
    const size = await this.#withFile(id, 'wx', async (file) => {
      const end = await this.#writeSource(file, 0, source, options);
      await this.#checkSize(file, id, end);
      // Syncs the directory and the file at the same time, because neither sync depends on the
      // other; this halves the time for 1 MiB.
      named = this.#syncName(id);
      named.catch(() => {}); // Awaited below, unless the file fails.
      if (this.#durable) await this.#files.sync(file);
      return end;
    });
    await named;
    return { size };
  }

  async append(
    id: string,
    position: number,
    source: AsyncIterable<Uint8Array>,
    options?: WriteOptions,
  ): Promise<{ size: number }> {
    const size = await this.#withFile(id, 'r+', async (file) => {
      await this.#cutTo(file, id, position);
      const end = await this.#writeSource(file, position, source, options);
      await this.#checkSize(file, id, end);
      if (this.#durable) await this.#files.syncData(file);
      return end;
    });
    await this.#requirePlace();
    return { size };
  }

  async read(
    id: string,
    range: { start: number; end: number },
    options?: ReadOptions,
  ): Promise<Readable> {
    const file = await this.#open(id, 'r');
    try {
      const size = await this.#files.size(file);
      if (size < range.end) throw new BlobTooShortError(id, size, range.end);
      return new BlobReadStream(this.#files, file, id, range, options);
    } catch (error) {
      await this.#files.close(file);
      throw error;
    }
  }

  async share(id: string, as: string): Promise<void> {
    const from = pathOf(this.#directory, id);
    const to = pathOf(this.#directory, as);
    try {
      const link = () => this.#files.link(from, to);
      await this.#shards.create(as, link, this.#requirePlace);
    } catch (error) {
      if (isLinkRefused(error)) throw new BlobNotShareableError(id, { cause: error });
      throw notFound(error, id);
    }
    await this.#syncName(as);
  }

  async remove(id: string): Promise<void> {
    await this.#requirePlace();
    await this.#files.remove(pathOf(this.#directory, id)).catch(unlessAbsent);
    // Without the sync, a power cut could bring back a blob that no record names any more. This
    // applies to an absent blob too: another call may just have removed it, but not yet durably.
    await this.#syncName(id).catch(async (error: unknown) => {
      unlessAbsent(error);
      await this.#requirePlace();
      return this.#shards.lose(id);
    });
  }

  async *list(): AsyncGenerator<{ id: string; size: number }> {
    for (const shard of await this.#shards.list()) {
      const names = await this.#files.readDirectory(shard);
      for (const id of names.filter(isBlobId)) {
        const size = await this.#sizeOf(id);
        if (size !== undefined) yield { id, size };
      }
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#watch.close();
    return this.#closing;
  }

  async #open(id: string, flags: string): Promise<number> {
    const path = pathOf(this.#directory, id);
    const open = () => this.#files.open(path, flags);
    if (flags === 'wx') return this.#shards.create(id, open, this.#requirePlace);
    try {
      return await open();
    } catch (error) {
      throw notFound(error, id);
    }
  }

  /**
   * Closes the file however `use` ends. A failure of `use` takes precedence over a failure of the
   * close. After a failure, the file is never synced again: the system may have forgotten the
   * failed write, and report success.
   */
  async #withFile<T>(id: string, flags: string, use: (file: number) => Promise<T>): Promise<T> {
    const file = await this.#open(id, flags);
    let result: T;
    try {
      result = await use(file);
    } catch (error) {
      await Promise.allSettled([this.#files.close(file)]);
      throw error;
    }
    await this.#files.close(file);
    return result;
  }

  #writeSource(
    file: number,
    position: number,
    source: AsyncIterable<Uint8Array>,
    options: WriteOptions | undefined,
  ): Promise<number> {
    const target = { files: this.#files, file, position, gathering: this.#gathering };
    return writeSource(target, source, options?.signal);
  }

  async #checkSize(file: number, id: string, end: number): Promise<void> {
    const size = await this.#files.size(file);
    if (size !== end) throw new Error(`The blob ${id} has ${size} bytes instead of ${end}.`);
  }

  async #cutTo(file: number, id: string, position: number): Promise<void> {
    const size = await this.#files.size(file);
    if (size < position) throw new Error(`The blob ${id} ends at ${size}, before ${position}.`);
    if (size > position) await this.#files.truncate(file, position);
  }

  /** Makes the name of a blob durable, if its directory is still where blobs belong. */
  async #syncName(id: string): Promise<void> {
    await Promise.all([this.#requirePlace(), this.#shards.sync(id)]);
  }

  async #sizeOf(id: string): Promise<number | undefined> {
    return (await this.#files.sizeOf(pathOf(this.#directory, id)).catch(unlessAbsent)) ?? undefined;
  }
}
