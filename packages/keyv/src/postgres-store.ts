import { checkOptions, type KnownOptions } from '@bucketware/core/contracts';
import { lostToAnother } from './database-codes.js';

/** The required part of a `Pool` of the package `pg`. */
export interface PostgresPool {
  query(sql: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  end(): Promise<unknown>;
}

export interface PostgresStoreOptions {
  /**
   * The table, which is created when missing: up to 51 characters of a-z, 0-9 and `_`, not
   * beginning with a digit. Default `bucketware`.
   */
  readonly table?: string | undefined;
}

const OPTIONS: KnownOptions<PostgresStoreOptions> = {
  table: {
    is: 'a name of up to 51 characters of a-z, 0-9 and _ that does not begin with a digit',
    fits: (value) => typeof value === 'string' && /^[a-z_][a-z0-9_]{0,50}$/.test(value),
  },
};

/**
 * Held while the table is created, because concurrent creation would fail. The statements of a
 * query are one transaction, which releases the lock at its end.
 */
const TABLE_LOCK = 0x62_75_63_6b;

/** For a statement that another transaction made fail. */
const MAX_TRIES = 100;

/** The settings of an earlier version's table are not changed while others have to wait for that. */
const LOCK_TIMEOUT = '5s';

/** The pools that already have a listener for lost connections. Several stores may share a pool. */
const listening = new WeakSet<PostgresPool>();

/**
 * A Keyv adapter for PostgreSQL that uses your `Pool` of the package `pg` and supports
 * compare-and-set. It survives a restart of the server; with `@keyv/postgres` 2, an idle connection
 * that ends crashes the process. `disconnect` ends the pool.
 *
 * Pages are stored uncompressed, and in one piece if they fit into a row.
 */
export class PostgresStore {
  namespace: string | undefined;
  readonly opts: {
    readonly dialect: 'postgres';
    readonly table: string;
  };
  readonly #pool: PostgresPool;
  #ready: Promise<unknown> | undefined;

  constructor(pool: PostgresPool, options: PostgresStoreOptions = {}) {
    checkOptions('new PostgresStore()', options, OPTIONS);
    const { table = 'bucketware' } = options;
    if (typeof pool?.query !== 'function' || typeof pool.on !== 'function') {
      throw new TypeError('new PostgresStore() takes a Pool of the package pg.');
    }
    this.opts = { dialect: 'postgres', table };
    this.#pool = pool;
    // The pool itself drops an idle connection that failed. The next query opens another one.
    if (!listening.has(pool)) pool.on('error', () => undefined);
    listening.add(pool);
  }

  async get(key: string): Promise<unknown> {
    const [row] = await this.query(`SELECT value FROM ${this.opts.table} WHERE key = $1`, [key]);
    return row?.value;
  }

  async set(key: string, value: string): Promise<boolean> {
    const sql = `INSERT INTO ${this.opts.table} (key, value) VALUES ($1, $2)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
    await this.query(sql, [key, value]);
    return true;
  }

  async delete(key: string): Promise<boolean> {
    const sql = `DELETE FROM ${this.opts.table} WHERE key = $1 RETURNING 1`;
    return (await this.query(sql, [key])).length > 0;
  }

  async clear(): Promise<void> {
    await this.query(`DELETE FROM ${this.opts.table}`, []);
  }

  async disconnect(): Promise<void> {
    await this.#pool.end();
  }

  async query(sql: string, values: unknown[]): Promise<Record<string, unknown>[]> {
    await this.#makeTable();
    for (let tries = 1; ; tries++) {
      try {
        return (await this.#pool.query(sql, values)).rows;
      } catch (error) {
        if (!lostToAnother(error) || tries === MAX_TRIES) throw error;
      }
    }
  }

  /** Creates the table once, and tries again after a failure: the server may just be starting. */
  async #makeTable(): Promise<void> {
    this.#ready ??= makeTable(this.#pool, this.opts.table);
    try {
      await this.#ready;
    } catch (error) {
      this.#ready = undefined;
      throw error;
    }
  }
}

/**
 * ALTER TABLE has to wait while a backup or a long report reads the table, and everything else would
 * wait behind it. So a table that is complete is left alone.
 */
async function makeTable(pool: PostgresPool, table: string): Promise<void> {
  const { rows } = await pool.query(
    `SELECT FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
      JOIN pg_namespace ON relnamespace = pg_namespace.oid
      WHERE relname = $1 AND nspname = current_schema() AND attname = 'value'
      AND attstorage = 'e' AND 'toast_tuple_target=8160' = ANY (reloptions)`,
    [table],
  );
  if (rows.length > 0) return;
  await pool.query(
    `SET LOCAL lock_timeout = '${LOCK_TIMEOUT}';
     SELECT pg_advisory_xact_lock(${TABLE_LOCK});
     CREATE TABLE IF NOT EXISTS ${table} (key TEXT COLLATE "C" PRIMARY KEY, value TEXT NOT NULL);
     ALTER TABLE ${table} ALTER COLUMN value SET STORAGE EXTERNAL;
     ALTER TABLE ${table} SET (toast_tuple_target = 8160)`,
  );
}
