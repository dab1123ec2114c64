import { join, resolve } from 'node:path';
import {
  type Change,
  checkOptions,
  decodeValue,
  type Entry,
  encodeKey,
  encodeValue,
  type KeyRange,
  type KnownOptions,
  kinds,
  type MetadataSnapshot,
  type MetadataStore,
  Place,
  syncDirectory,
} from '@bucketware/core/contracts';
import { getLastVersion } from 'lmdb';
import {
  type Database,
  FILE,
  makeDatabase,
  makeGate,
  openDatabase,
  openReadOnly,
} from './database.js';
import { entriesIn } from './entries.js';
import { readOnly } from './failures.js';
import type { Gate } from './gate.js';
import { LmdbSnapshot } from './snapshot.js';
import type { Step } from './step.js';
import { Versions } from './versions.js';
import { requireHealth, Writer } from './writer.js';

/** The options of {@link lmdbMetadata}. */
export interface LmdbMetadataOptions {
  /** The directory of the database, created when missing. It must be on a local disk. */
  readonly directory: string;
  /**
   * `full` (default): when a commit resolves, it is on the disk. `relaxed`: it has been passed to
   * the operating system. It then survives a crash of this process, but a power loss may lose it
   * and may damage the whole database. All processes that share a directory must choose the same.
   */
  readonly durability?: 'full' | 'relaxed';
}

const OPTIONS: KnownOptions<LmdbMetadataOptions> = {
  directory: kinds.required(kinds.text),
  durability: kinds.oneOf('full', 'relaxed'),
};

/** Stores the records in an embedded LMDB database, which several processes may share. */
export async function lmdbMetadata(options: LmdbMetadataOptions): Promise<MetadataStore> {
  checkOptions('lmdbMetadata()', options, OPTIONS);
  const { durability = 'full' } = options;
  // The process may change its working directory later.
  const directory = resolve(options.directory);
  await makeDatabase({ directory, durability });
  const gate = await makeGate(directory);
  const opening = gate.pass(() => openDatabase({ directory, durability }));
  const database = await opening.catch(async (error: unknown) => {
    await gate.close();
    throw error;
  });
  await syncDirectory(directory);
  const place = new Place(join(directory, FILE));
  return new LmdbMetadata(database, gate, directory, place, () => {
    place.require(); // The records of another database would not match the blobs.
    return openReadOnly({ directory, durability }, gate);
  });
}

class LmdbMetadata implements MetadataStore {
  #database: Database;
  readonly #gate: Gate;
  readonly #running = new Set<Promise<unknown>>();
  readonly #snapshots = new Set<LmdbSnapshot>();
  readonly #writer: Writer;
  readonly #versions: Versions;
  /** Reads wait for this once writing has become impossible. */
  #reopened: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    database: Database,
    gate: Gate,
    directory: string,
    place: Place,
    openAgain: () => Promise<Database>,
  ) {
    this.#database = database;
    this.#gate = gate;
    this.#writer = new Writer(database, gate, directory, place, (failure) => {
      this.#reopened = this.#reopen(openAgain, failure);
      this.#reopened.catch(() => {}); // Each read rejects with this failure.
    });
    this.#versions = new Versions(this.#writer);
  }

  get(key: string): Promise<Entry | undefined> {
    return this.#read((database) => entryOf(database, key, encodeKey(key)));
  }

  getMany(keys: readonly string[]): Promise<(Entry | undefined)[]> {
    return this.#read((database) => {
      const encoded = keys.map(encodeKey);
      return keys.map((key, index) => entryOf(database, key, encoded[index] as Buffer));
    });
  }

  list(range: KeyRange): Promise<Entry[]> {
    return this.#read((database) => entriesIn(database, range));
  }

  snapshot(): Promise<MetadataSnapshot> {
    return this.#read((database) => {
      const snapshot = new LmdbSnapshot(database, () => this.#snapshots.delete(snapshot));
      this.#snapshots.add(snapshot);
      return snapshot;
    });
  }

  async commit(change: Change): Promise<string | undefined> {
    this.#checkOpen();
    const encoded = encodeChange(change);
    const running = this.#apply(encoded);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  async #apply(change: EncodedChange): Promise<string | undefined> {
    if (!this.#versions.ready) await this.#versions.reserve();
    const version = this.#versions.next();
    const isDone = await this.#writer.write({ ...change, version });
    return isDone ? String(version) : undefined;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#running);
    // Reopening may just have failed.
    await Promise.allSettled([this.#reopened]);
    this.#writer.close();
    await this.#closeDatabase();
    await this.#gate.close();
  }

  /** LMDB must not be closed while one of its transactions is open. */
  async #closeDatabase(): Promise<void> {
    for (const snapshot of this.#snapshots) await snapshot.close();
    await this.#database.close();
  }

  /**
   * Reads from the current state of the database. LMDB would keep one snapshot for a whole turn of
   * the event loop, during which another process may commit. `use` reads from one snapshot.
   */
  async #read<T>(use: (database: Database) => T): Promise<T> {
    this.#checkOpen();
    if (this.#reopened) await this.#reopened;
    this.#database.resetReadTxn();
    return use(this.#database);
  }

  /**
   * Opens the database for reading. After a failed write, LMDB may reject reads as well until its
   * environment is opened again.
   */
  async #reopen(openAgain: () => Promise<Database>, failure: Error): Promise<void> {
    await this.#closeDatabase();
    try {
      this.#database = await openAgain();
      requireHealth(this.#database);
    } catch (error) {
      throw readOnly(new AggregateError([failure.cause, error], 'They cannot be read either.'));
    }
  }

  #checkOpen(): void {
    if (this.#closing) throw new Error('The metadata store is closed.');
  }
}

function entryOf(database: Database, key: string, bytes: Buffer): Entry | undefined {
  const found = database.getBinaryFast(bytes);
  return found && { key, value: decodeValue(found), version: String(getLastVersion()) };
}

type EncodedChange = Omit<Step, 'version'>;

/** Throws for an invalid change, before its transaction begins. */
function encodeChange({ expect = [], put = [], delete: removed = [] }: Change): EncodedChange {
  return {
    expect: expect.map(({ key, version }) => ({
      key: encodeKey(key),
      version: version === undefined ? undefined : numberOf(version),
    })),
    put: put.map(({ key, value }) => ({ key: encodeKey(key), value: encodeValue(value) })),
    delete: removed.map(encodeKey),
  };
}

/**
 * The number of a version. Text that is not a version of this store becomes NaN, which no record
 * has: some other numbers have a special meaning in lmdb-js.
 */
function numberOf(version: string): number {
  const number = Number(version);
  return Number.isInteger(number) && String(number) === version ? number : Number.NaN;
}
