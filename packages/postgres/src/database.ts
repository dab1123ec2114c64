import { type DatabaseError, failureOf } from './failures.js';

/** The required part of a `Pool` of the package `pg`. */
export interface PostgresPool {
  query(query: PostgresQuery): Promise<{ rows: unknown[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Used for snapshots, each of which needs a connection of its own. */
  connect?(): Promise<PostgresClient>;
}

interface PostgresClient {
  query(query: PostgresQuery): Promise<{ rows: unknown[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
  /** Returns the connection to the pool; with an error, closes it. */
  release(error?: Error | boolean): void;
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
  readonly #pool: PostgresPool;
  readonly #timeout: number;

  constructor(pool: PostgresPool, table: string, timeout: number) {
    this.table = table;
    this.#pool = pool;
    this.#timeout = timeout;
    if (!listening.has(pool)) pool.on('error', ignoreLostConnection);
    listening.add(pool);
  }

  /** The same database, with another name of the table. */
  withTable(table: string): Database {
    return new Database(this.#pool, table, this.#timeout);
  }

  /**
   * Runs one statement, which is one transaction. It is not a named statement, because behind a
   * connection pooler, the next call may use a server connection that does not have it.
   */
  async query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.#send(this.#pool, text, values);
  }

  /** The same for a commit. Its outcome is unknown if the connection breaks. */
  async commit<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.#send(this.#pool, text, values, true);
  }

  /** A connection for several statements. The caller must `release` it. */
  async connect(): Promise<Connection> {
    const client = await this.#pool.connect?.();
    if (client === undefined) throw new TypeError('The pool has no method connect().');
    // The pool listens only while the connection is idle.
    client.on('error', ignoreLostConnection);
    return {
      query: (text, values = []) => this.#send(client, text, values),
      release(isBroken) {
        client.release(isBroken);
        client.off('error', ignoreLostConnection);
      },
    };
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

/**
 * The queries on a lost connection fail by themselves, and the pool opens another one. Without a
 * listener, the event would end the process.
 */
function ignoreLostConnection(): void {}
