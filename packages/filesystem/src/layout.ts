import { checkBlobId } from '@bucketware/core/contracts';
import { unlessAbsent } from './failures.js';
import type { FileOperations } from './files.js';
import { coalesce } from './sync.js';

const SHARD = /^[0-9a-f]{2}$/;

/** The directory of a blob. No text other than an id ever becomes part of a path. */
function shardOf(directory: string, id: string): string {
  checkBlobId(id);
  return `${directory}/${id.slice(0, 2)}`;
}

export const pathOf = (directory: string, id: string): string => `${shardOf(directory, id)}/${id}`;

/**
 * The directories of blobs, up to 256, named after the first two digits of the ids. Each is created
 * when a blob first needs it, and is durable before it contains a blob: otherwise a power cut could
 * remove it with everything that was synced in it.
 */
export class Shards {
  readonly #files: FileOperations;
  readonly #directory: string;
  readonly #durable: boolean;
  readonly #ready = new Set<string>();
  readonly #syncs = new Map<string, () => Promise<void>>();
  readonly #makeDurable: () => Promise<void>;

  private constructor(files: FileOperations, directory: string, durable: boolean) {
    this.#files = files;
    this.#directory = directory;
    this.#durable = durable;
    this.#makeDurable = coalesce(async () => {
      if (durable) await files.syncDirectory(directory);
    });
  }

  /**
   * Syncs existing directories, because the process that created them may have ended before it did
   * so.
   */
  static async open(files: FileOperations, directory: string, durable: boolean): Promise<Shards> {
    const shards = new Shards(files, directory, durable);
    const paths = await shards.list();
    await shards.#makeDurable();
    for (const path of paths) shards.#ready.add(path);
    return shards;
  }

  /** Resolves once the directory of a blob is durable. */
  async #prepare(id: string): Promise<void> {
    const path = shardOf(this.#directory, id);
    if (this.#ready.has(path)) return;
    await this.#files.makeDirectory(path).catch(ignoreExists);
    await this.#makeDurable();
    this.#ready.add(path);
  }

  /**
   * Creates a file in the directory of a blob, even if a cleanup of empty directories has removed
   * it. `requirePlace` rejects if all directories are missing.
   */
  async create<T>(
    id: string,
    create: () => Promise<T>,
    requirePlace: () => Promise<void>,
  ): Promise<T> {
    await this.#prepare(id);
    try {
      return await create();
    } catch (error) {
      unlessAbsent(error);
      await requirePlace();
      this.#ready.delete(shardOf(this.#directory, id));
      await this.#prepare(id);
      return create();
    }
  }

  /**
   * The directory of an absent blob is missing: it was never created, or a cleanup of empty
   * directories has removed it, which must be durable, too.
   */
  async lose(id: string): Promise<void> {
    if (this.#ready.delete(shardOf(this.#directory, id))) await this.#makeDurable();
  }

  /** Makes the names in the directory of a blob durable. */
  async sync(id: string): Promise<void> {
    if (!this.#durable) return;
    const shard = shardOf(this.#directory, id);
    let sync = this.#syncs.get(shard);
    if (!sync) {
      sync = coalesce(() => this.#files.syncDirectory(shard));
      this.#syncs.set(shard, sync);
    }
    await sync();
  }

  /** The paths of all directories, including those that other processes created. */
  async list(): Promise<string[]> {
    const names = await this.#files.readDirectory(this.#directory);
    return names.filter(isShard).map((name) => `${this.#directory}/${name}`);
  }
}

const isShard = (name: string): boolean => SHARD.test(name);

/** Ignores that another call or process has created the same directory at the same time. */
function ignoreExists(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
