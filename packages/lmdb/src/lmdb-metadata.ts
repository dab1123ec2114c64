import type { Change, Entry, KeyRange, MetadataStore } from '@bucketware/core';
import { getLastVersion, open, type RootDatabase } from 'lmdb';
import { makeDirectory, syncDirectory } from './directory.js';
import { encodeKey, encodeRange, SEQUENCE_KEY } from './keys.js';
import { decodeValue, encodeValue } from './values.js';

export interface LmdbMetadataOptions {
  /** Made when it is missing. It must be on a local disk. */
  readonly directory: string;
  /**
   * `full`: a commit that resolved is on the disk.
   * `relaxed`: a commit that resolved is with the operating system. It outlives this process, but
   * a power loss may take it, and may damage the whole database.
   * All processes that share a directory choose the same.
   */
  readonly durability?: 'full' | 'relaxed';
}

/** Records in an embedded LMDB database, which several processes may share. */
export async function lmdbMetadata(options: LmdbMetadataOptions): Promise<MetadataStore> {
  const { directory, durability = 'full' } = options;
  if (durability !== 'full' && durability !== 'relaxed') {
    throw new TypeError(`There is no durability ${durability}: choose full or relaxed.`);
  }
  await makeDirectory(directory);
  const database = open<Buffer, Buffer>({
    path: directory,
    // Else a directory with a dot in its name would become a file.
    noSubdir: false,
    keyEncoding: 'binary',
    encoding: 'binary',
    useVersions: true,
    maxDbs: 1,
    // Each transaction syncs its pages, and then its root through a descriptor with O_DSYNC.
    overlappingSync: false,
    // lmdb-js would keep a promise of its own for each batch, whose rejection nobody could handle.
    eventTurnBatching: false,
    noSync: durability === 'relaxed',
  });
  await syncDirectory(directory);
  return new LmdbMetadata(database);
}

type Database = RootDatabase<Buffer, Buffer>;

const NOTHING = Buffer.from([0]);

/** Versions that a process reserves at a time. */
const BLOCK = 1_000_000;

class LmdbMetadata implements MetadataStore {
  readonly #database: Database;
  readonly #running = new Set<Promise<unknown>>();
  readonly #versions: Versions;
  #closing: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.#versions = new Versions(database);
  }

  async get(key: string): Promise<Entry | undefined> {
    const bytes = encodeKey(key);
    return this.#read(this.#snapshot(), key, bytes);
  }

  async getMany(keys: readonly string[]): Promise<(Entry | undefined)[]> {
    const encoded = keys.map(encodeKey);
    const database = this.#snapshot();
    return keys.map((key, index) => this.#read(database, key, encoded[index] as Buffer));
  }

  async list({ prefix, start = prefix, limit }: KeyRange): Promise<Entry[]> {
    const range = encodeRange(prefix, start);
    if (!range) return [];
    const found: Entry[] = [];
    for (const { key, value, version } of this.#snapshot().getRange({
      ...range,
      limit,
      versions: true,
    })) {
      found.push({
        key: key.toString(),
        value: decodeValue(value),
        version: String(version),
      });
    }
    return found;
  }

  async commit(change: Change): Promise<boolean> {
    this.#checkOpen();
    const steps = encodeChange(change);
    const running = this.#apply(steps);
    this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      throw failure(await reason(error));
    } finally {
      this.#running.delete(running);
    }
  }

  async #apply(steps: Steps): Promise<boolean> {
    if (!this.#versions.ready) await this.#versions.reserve();
    // A child transaction: should a step fail, the others that share the commit stay whole.
    return this.#database.childTransaction(() => apply(this.#database, steps, this.#versions));
  }

  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#running).then(() => this.#database.close());
    return this.#closing;
  }

  /**
   * The database as of now. LMDB would keep one snapshot for a whole turn of the event loop, in
   * which another process may commit. What follows in the same turn reads from one snapshot.
   */
  #snapshot(): Database {
    this.#checkOpen();
    this.#database.resetReadTxn();
    return this.#database;
  }

  #read(database: Database, key: string, bytes: Buffer): Entry | undefined {
    const found = database.getBinaryFast(bytes);
    return found && { key, value: decodeValue(found), version: String(getLastVersion()) };
  }

  #checkOpen(): void {
    if (this.#closing) throw new Error('The metadata store is closed.');
  }
}

interface Steps {
  readonly expect: readonly { readonly key: Buffer; readonly version: string | undefined }[];
  readonly put: readonly { readonly key: Buffer; readonly value: Buffer }[];
  readonly delete: readonly Buffer[];
}

/** All that can be wrong with a change comes out here, before its transaction begins. */
function encodeChange({ expect = [], put = [], delete: removed = [] }: Change): Steps {
  return {
    expect: expect.map(({ key, version }) => ({ key: encodeKey(key), version })),
    put: put.map(({ key, value }) => ({ key: encodeKey(key), value: encodeValue(value) })),
    delete: removed.map(encodeKey),
  };
}

function apply(database: Database, steps: Steps, versions: Versions): boolean {
  for (const { key, version } of steps.expect) {
    const found = versionOf(database, key);
    if ((found && String(found)) !== version) return false;
  }
  for (const key of steps.delete) database.remove(key);
  if (steps.put.length === 0) return true;

  const version = versions.next();
  for (const { key, value } of steps.put) database.put(key, value, version);
  return true;
}

/**
 * Versions that no process and no key ever gets again. Each process takes them from a block of its
 * own, whose reservation is on the disk before the first is used.
 */
class Versions {
  readonly #database: Database;
  #next = 0;
  #end = 0;
  #reserving: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Whether there are enough left for the commits that may be under way. */
  get ready(): boolean {
    return this.#end - this.#next > BLOCK / 2;
  }

  next(): number {
    return this.#next++;
  }

  reserve(): Promise<void> {
    this.#reserving ??= this.#reserve().finally(() => {
      this.#reserving = undefined;
    });
    return this.#reserving;
  }

  async #reserve(): Promise<void> {
    const first = await this.#database.childTransaction(() => {
      const reserved = versionOf(this.#database, SEQUENCE_KEY) ?? 1;
      this.#database.put(SEQUENCE_KEY, NOTHING, reserved + BLOCK);
      return reserved;
    });
    this.#next = first;
    this.#end = first + BLOCK;
  }
}

/** Without making a copy of the value, as `getEntry` would. */
const versionOf = (database: Database, key: Buffer): number | undefined =>
  database.getBinaryFast(key) && getLastVersion();

/** LMDB tells of a full disk in words; callers look for the system's code. */
function failure(cause: unknown): Error {
  const error = new Error('LMDB could not commit.', { cause });
  const full = /No space left on device/.test(String(cause));
  return full ? Object.assign(error, { code: 'ENOSPC' }) : error;
}

/** lmdb-js rejects with a general error whose `commitError` is a promise that rejects as well. */
async function reason(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  return commitError ? commitError.catch((cause: unknown) => cause) : error;
}
