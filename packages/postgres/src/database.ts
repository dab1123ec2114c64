import { requireIdle, takeIdle } from '@bucketware/core/contracts';
import { type DatabaseError, failureOf } from './failures.js';

/** The required part of a `Pool` of the package `pg`. */
export interface PostgresPool {
  query(query: PostgresQuery): Promise<{ rows: unknown[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Without it, there are no snapshots, and transactions that the app has left open are not noticed. */
  connect?(): Promise<PostgresClient>;
}

interface PostgresClient {
  query(query: PostgresQuery): Promise<{ rows: unknown[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
  /** Returns the connection to the pool; with an error, closes it. */
  release(error?: Error | boolean): void;
  getTransactionStatus?(): string | null;
}

interface PostgresQuery {
  readonly text: string;
  readonly values?: unknown[];
  readonly query_timeout?: number;
}

/** The pools that already have a listener for lost connections. Several stores may share a pool. */
const listening = new WeakSet<PostgresPool>();

/** A pool, with the names of the store's objects in its database. */
export class Database {
  /**
   * The name of the table in SQL. Once it has been found, it includes the schema, because the app may
   * change the search path of a connection.
   */
  readonly table: string;
  /** The oid of the table at the opening. Another one with its name belongs to another store. */
  readonly oid: number | undefined;
  readonly #pool: PostgresPool;
  readonly #timeout: number;

  constructor(pool: PostgresPool, table: string, timeout: number, oid?: number) {
    this.table = table;
    this.oid = oid;
    this.#pool = pool;
    this.#timeout = timeout;
    if (!listening.has(pool)) pool.on('error', ignoreLostConnection);
    listening.add(pool);
  }

  /** The same database, with the table that was found. */
  withTable(table: string, oid?: number): Database {
    return new Database(this.#pool, table, this.#timeout, oid);
  }

  /**
   * Runs one statement, which is one transaction. It is not a named statement, because behind a
   * connection pooler, the next call may use a server connection that does not have it.
   */
  async query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.#run(text, values, false);
  }

  /** The same for a commit. Its outcome is unknown if the connection breaks. */
  async commit<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.#run(text, values, true);
  }

  async #run<Row>(text: string, values: unknown[], isCommit: boolean): Promise<Row[]> {
    if (this.#pool.connect === undefined) return this.#send(this.#pool, text, values, isCommit);
    const client = await this.#take();
    let isDone = false;
    try {
      const rows = await this.#send<Row>(client, text, values, isCommit);
      try {
        requireIdle(client);
      } catch (error) {
        throw failureOf(error as DatabaseError, isCommit);
      }
      isDone = true;
      return rows;
    } finally {
      // As the pool itself does after a failure.
      give(client, !isDone);
    }
  }

  /** A connection for several statements. The caller must `release` it. */
  async connect(): Promise<Connection> {
    const client = await this.#take();
    return {
      query: (text, values = []) => this.#send(client, text, values),
      release: (isBroken) => give(client, isBroken),
    };
  }

  async #take(): Promise<PostgresClient> {
    const pool = this.#pool;
    if (pool.connect === undefined) throw new TypeError('The pool has no method connect().');
    try {
      const client = await takeIdle(() => (pool as Required<PostgresPool>).connect());
      // The pool listens only while the connection is idle.
      client.on('error', ignoreLostConnection);
      return client;
    } catch (error) {
      throw failureOf(error as DatabaseError, false);
    }
  }

  async #send<Row>(
    to: Pick<PostgresPool, 'query'>,
    text: string,
    values: unknown[],
    isCommit = false,
  ): Promise<Row[]> {
    const query = { text, values, query_timeout: this.#timeout };
    try {
      return (await to.query(query)).rows as Row[];
    } catch (error) {
      throw failureOf(error as DatabaseError, isCommit);
    }
  }
}

export interface Connection {
  query<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  release(isBroken: boolean): void;
}

function give(client: PostgresClient, isBroken: boolean): void {
  client.release(isBroken);
  client.off('error', ignoreLostConnection);
}

/**
 * The queries on a lost connection fail by themselves, and the pool opens another one. Without a
 * listener, the event would end the process.
 */
function ignoreLostConnection(): void {}
