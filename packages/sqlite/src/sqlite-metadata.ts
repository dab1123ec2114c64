import { resolve } from 'node:path';
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
} from '@bucketware/core/contracts';
import { type Database, openDatabase, type Statement } from './database.js';
import { Listing } from './listing.js';
import type { Request } from './messages.js';
import { makePrivateFile } from './private-file.js';
import { SqliteSnapshot } from './snapshot.js';
import { Writer } from './writer.js';

export interface SqliteMetadataOptions {
  /**
   * The path of the database file, on a local disk. The file and its directories are created when
   * missing. It contains nothing but the records.
   */
  readonly path: string;
  /**
   * `full` (default): a resolved commit is on the disk. `relaxed`: a power cut may lose the last
   * commits, but never only part of one.
   */
  readonly durability?: 'full' | 'relaxed' | undefined;
}

const OPTIONS: KnownOptions<SqliteMetadataOptions> = {
  path: kinds.required(kinds.text),
  durability: kinds.oneOf('full', 'relaxed'),
};

/**
 * Stores the records in a SQLite file, which several processes on one machine may share. Rejects if
 * the file cannot be opened or contains the tables of another program, or if this version of Node
 * has no SQLite and the package `@photostructure/sqlite` is not installed.
 *
 * ```ts
 * const metadata = await sqliteMetadata({ path: '/var/lib/storage/records.sqlite' });
 * ```
 */
export async function sqliteMetadata(options: SqliteMetadataOptions): Promise<MetadataStore> {
  checkOptions('sqliteMetadata()', options, OPTIONS);
  const { durability = 'full' } = options;
  // The process may change its working directory later, and `:memory:` is the name of a file here.
  const path = resolve(options.path);
  await makePrivateFile(path);
  const database = await openDatabase({ path, durability });
  const again = () => openDatabase({ path, durability });
  return new SqliteMetadata(database, again, new Writer({ path, durability }));
}

interface Row {
  readonly value: Uint8Array;
  readonly version: number;
}

class SqliteMetadata implements MetadataStore {
  readonly #database: Database;
  readonly #writer: Writer;
  readonly #get: Statement;
  readonly #listing: Listing;
  readonly #openAgain: () => Promise<Database>;
  readonly #running = new Set<Promise<unknown>>();
  readonly #snapshots = new Set<SqliteSnapshot>();
  #closing: Promise<void> | undefined;

  constructor(database: Database, openAgain: () => Promise<Database>, writer: Writer) {
    this.#database = database;
    this.#openAgain = openAgain;
    this.#writer = writer;
    this.#get = database.prepare('SELECT value, version FROM records WHERE key = ?');
    this.#listing = new Listing(database);
  }

  async get(key: string): Promise<Entry | undefined> {
    this.#checkOpen();
    return this.#find(key, encodeKey(key));
  }

  async getMany(keys: readonly string[]): Promise<(Entry | undefined)[]> {
    this.#checkOpen();
    const encoded = keys.map(encodeKey);
    // All reads in one transaction see the same state.
    this.#database.exec('BEGIN');
    try {
      return keys.map((key, index) => this.#find(key, encoded[index] as Buffer));
    } finally {
      this.#database.exec('COMMIT');
    }
  }

  async list(range: KeyRange): Promise<Entry[]> {
    this.#checkOpen();
    return this.#listing.entriesIn(range);
  }

  async snapshot(): Promise<MetadataSnapshot> {
    this.#checkOpen();
    const database = await this.#openAgain();
    const snapshot = new SqliteSnapshot(database, () => this.#snapshots.delete(snapshot));
    this.#snapshots.add(snapshot);
    return snapshot;
  }

  async commit(change: Change): Promise<string | undefined> {
    this.#checkOpen();
    const running = this.#writer.run(toRequest(change));
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#running);
    await this.#writer.close();
    for (const snapshot of this.#snapshots) await snapshot.close();
    this.#database.close();
  }

  #find(key: string, bytes: Buffer): Entry | undefined {
    const row = this.#get.get(bytes) as Row | undefined;
    return row && { key, value: decodeValue(row.value), version: String(row.version) };
  }

  #checkOpen(): void {
    if (this.#closing) throw new Error('The metadata store is closed.');
  }
}

/** Throws for an invalid change, before it waits for its turn. */
const toRequest = ({ expect = [], put = [], delete: removed = [] }: Change): Request => ({
  expect: expect.map(({ key, version }) => ({ key: encodeKey(key), version })),
  put: put.map(({ key, value }) => ({ key: encodeKey(key), value: encodeValue(value) })),
  delete: removed.map(encodeKey),
});
