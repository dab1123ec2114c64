import { setTimeout as sleep } from 'node:timers/promises';
import { checkOptions, type KnownOptions, kinds } from '@bucketware/core/contracts';
import type { AtomicAdapter, AtomicSwap } from './atomic-pages.js';
import { type SystemCode, systemCodeOf } from './database-codes.js';

/**
 * The required part of a `DatabaseSync` from `node:sqlite`, `@photostructure/sqlite` or another
 * package with the same methods.
 */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): unknown;
}

interface SqliteStatement {
  run(...values: (string | null)[]): { changes: number | bigint };
  get(...values: string[]): unknown;
}

export interface SqliteStoreOptions {
  /**
   * `full` (default): the log is flushed at each commit. `relaxed`: a power cut may lose the last
   * commits.
   */
  readonly durability?: 'full' | 'relaxed' | undefined;
}

const OPTIONS: KnownOptions<SqliteStoreOptions> = {
  durability: kinds.oneOf('full', 'relaxed'),
};

/** How long a call waits while another process holds the lock, in milliseconds. */
const LOCK_WAIT = 5000;

/** SQLite itself waits for a lock by blocking the event loop, so it waits only this long. */
const BLOCKING_WAIT = 10;

const LOCKED: SystemCode = 'EHOSTDOWN';

/**
 * A Keyv adapter for SQLite that needs no compiler and supports compare-and-set. `disconnect`
 * closes the database. Throws a `TypeError` if `database` lacks the required methods.
 */
export class SqliteStore implements AtomicAdapter {
  namespace: string | undefined;
  readonly opts = { dialect: 'sqlite' };
  readonly #database: SqliteDatabase;
  readonly #get: SqliteStatement;
  readonly #set: SqliteStatement;
  readonly #delete: SqliteStatement;

  constructor(database: SqliteDatabase, options: SqliteStoreOptions = {}) {
    checkOptions('new SqliteStore()', options, OPTIONS);
    if (typeof database?.exec !== 'function' || typeof database.prepare !== 'function') {
      throw new TypeError('new SqliteStore() takes a database of node:sqlite or one like it.');
    }
    const { durability = 'full' } = options;
    this.#database = database;
    database.exec(`PRAGMA busy_timeout = ${LOCK_WAIT}`);
    database.exec('PRAGMA journal_mode = WAL');
    // Without WAL, which not every file system supports, only EXTRA also flushes the deletion of
    // the journal, which is the commit.
    database.exec(`PRAGMA synchronous = ${durability === 'full' ? 'EXTRA' : 'NORMAL'}`);
    database.exec(
      'CREATE TABLE IF NOT EXISTS keyv (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID',
    );
    database.exec(`PRAGMA busy_timeout = ${BLOCKING_WAIT}`);
    this.#get = database.prepare('SELECT value FROM keyv WHERE key = ?');
    this.#set = database.prepare('INSERT OR REPLACE INTO keyv (key, value) VALUES (?, ?)');
    this.#delete = database.prepare('DELETE FROM keyv WHERE key = ?');
  }

  async get(key: string): Promise<unknown> {
    return unlocked(() => this.#read(key));
  }

  async set(key: string, value: string): Promise<boolean> {
    await unlocked(() => this.#set.run(key, value));
    return true;
  }

  async delete(key: string): Promise<boolean> {
    return unlocked(() => this.#delete.run(key).changes > 0);
  }

  async clear(): Promise<void> {
    await unlocked(() => this.#database.exec('DELETE FROM keyv'));
  }

  async disconnect(): Promise<void> {
    this.#database.close();
  }

  async swap(swap: AtomicSwap): Promise<boolean> {
    return unlocked(() => this.#swap(swap));
  }

  #swap({ key, from, claim, to, put, delete: removed }: AtomicSwap): boolean {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const swaps = this.#read(key) === from && this.#read(claim[0]) === claim[1];
      if (swaps) {
        for (const [page, value] of put) this.#set.run(page, value);
        for (const page of removed) this.#delete.run(page);
        this.#set.run(key, to);
      }
      this.#database.exec('COMMIT');
      return swaps;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /** May fail, because on a full disk SQLite has already rolled back. The caller has the cause. */
  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // If a transaction is still open, beginning the next one fails and reports that.
    }
  }

  #read(key: string): string | undefined {
    return (this.#get.get(key) as { value: string } | undefined)?.value;
  }
}

/** Repeats a call that changed nothing because another process holds the lock. */
async function unlocked<T>(call: () => T): Promise<T> {
  const end = performance.now() + LOCK_WAIT;
  for (;;) {
    try {
      return call();
    } catch (error) {
      if (systemCodeOf(error) !== LOCKED || performance.now() > end) throw error;
    }
    await sleep(1 + Math.random() * BLOCKING_WAIT);
  }
}
