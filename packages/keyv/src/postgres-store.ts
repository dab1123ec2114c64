import {
  checkOptions,
  type KnownOptions,
  kinds,
  requireIdle,
  schemaOfTable,
  takeIdle,
} from '@bucketware/core/contracts';
import { lostToAnother } from './database-codes.js';

/** The required part of a `Pool` of the package `pg`. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  end(): Promise<unknown>;
}

interface PostgresClient {
  query(query: {
    readonly text: string;
    readonly values?: unknown[];
    readonly query_timeout?: number;
  }): Promise<{ rows: Record<string, unknown>[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
  /** Returns the connection to the pool; with an error, closes it. */
  release(error?: Error | boolean): void;
  getTransactionStatus?(): string | null;
}

export interface PostgresStoreOptions {
  /**
   * The table, which is created when missing: up to 51 characters of a-z, 0-9 and `_`, not
   * beginning with a digit. Default `bucketware`.
   */
  readonly table?: string | undefined;
  /**
   * How long a query may take, in milliseconds. Then it fails, and its connection is closed. Default
   * 10,000.
   */
  readonly timeout?: number | undefined;
}

const OPTIONS: KnownOptions<PostgresStoreOptions> = {
  table: {
    is: 'a name of up to 51 characters of a-z, 0-9 and _ that does not begin with a digit',
    fits: (value) => typeof value === 'string' && /^[a-z_][a-z0-9_]{0,50}$/.test(value),
  },
  timeout: kinds.interval,
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

const ignore = (): void => undefined;

type Send = (sql: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

/** The pools that already have a listener for lost connections. Several stores may share a pool. */
const listening = new WeakSet<PostgresPool>();

/**
 * A Keyv adapter for PostgreSQL that uses your `Pool` of the package `pg` and supports
 * compare-and-set. It survives a restart of the server; with `@keyv/postgres` 2, an idle connection
 * that ends crashes the process. `disconnect` ends the pool, so give it one that nothing else uses.
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
  readonly #timeout: number;
  #ready: Promise<string> | undefined;

  constructor(pool: PostgresPool, options: PostgresStoreOptions = {}) {
    checkOptions('new PostgresStore()', options, OPTIONS);
    const { table = 'bucketware', timeout = 10_000 } = options;
    if (typeof pool?.connect !== 'function' || 'processID' in pool) {
      throw new TypeError('new PostgresStore() takes a Pool of the package pg, not a Client.');
    }
    this.opts = { dialect: 'postgres', table };
    this.#pool = pool;
    this.#timeout = timeout;
    // The pool itself drops an idle connection that failed. The next query opens another one.
    if (!listening.has(pool)) pool.on('error', ignore);
    listening.add(pool);
  }

  async get(key: string): Promise<unknown> {
    const sql = `SELECT value FROM ${await this.qualifiedTable()} WHERE key = $1`;
    const [row] = await this.query(sql, [key]);
    return row?.value;
  }

  async set(key: string, value: string): Promise<boolean> {
    const sql = `INSERT INTO ${await this.qualifiedTable()} (key, value) VALUES ($1, $2)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
    await this.query(sql, [key, value]);
    return true;
  }

  async delete(key: string): Promise<boolean> {
    const sql = `DELETE FROM ${await this.qualifiedTable()} WHERE key = $1 RETURNING 1`;
    return (await this.query(sql, [key])).length > 0;
  }

  async clear(): Promise<void> {
    await this.query(`DELETE FROM ${await this.qualifiedTable()}`, []);
  }

  async disconnect(): Promise<void> {
    await this.#pool.end();
  }

  async query(sql: string, values: unknown[]): Promise<Record<string, unknown>[]> {
    await this.qualifiedTable();
    for (let tries = 1; ; tries++) {
      try {
        return await this.#send(sql, values);
      } catch (error) {
        if (!lostToAnother(error) || tries === MAX_TRIES) throw error;
      }
    }
  }

  async #send(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = await takeIdle(() => this.#pool.connect());
    // The pool listens only while the connection is idle. The query itself fails, too.
    client.on('error', ignore);
    let isDone = false;
    try {
      // A query with values cannot have several statements.
      const given = values.length === 0 ? { text } : { text, values };
      const { rows } = await client.query({ ...given, query_timeout: this.#timeout });
      requireIdle(client);
      isDone = true;
      return rows;
    } finally {
      client.release(!isDone);
      client.off('error', ignore);
    }
  }

  /**
   * The name of the table in SQL, with its schema: the app may change the search path of a connection.
   * Creates the table once, and tries again after a failure: the server may just be starting.
   */
  async qualifiedTable(): Promise<string> {
    this.#ready ??= makeTable((sql, values) => this.#send(sql, values), this.opts.table);
    try {
      return await this.#ready;
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
async function makeTable(send: Send, name: string): Promise<string> {
  const table = `${await schemaOfTable(send, name)}.${name}`;
  const rows = await send(
    `SELECT FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
      WHERE pg_class.oid = to_regclass($1) AND attname = 'value'
      AND attstorage = 'e' AND 'toast_tuple_target=8160' = ANY (reloptions)`,
    [table],
  );
  if (rows.length > 0) return table;
  await send(
    `SET LOCAL lock_timeout = '${LOCK_TIMEOUT}';
     SELECT pg_advisory_xact_lock(${TABLE_LOCK});
     CREATE TABLE IF NOT EXISTS ${table} (key TEXT COLLATE "C" PRIMARY KEY, value TEXT NOT NULL);
     ALTER TABLE ${table} ALTER COLUMN value SET STORAGE EXTERNAL;
     ALTER TABLE ${table} SET (toast_tuple_target = 8160)`,
  );
  return table;
}
