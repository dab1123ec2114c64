import { type DatabaseError, failureOf } from './failures.js';

/** The required part of a `Pool` of the package `pg`. */
export interface PostgresPool {
  query(query: PostgresQuery): Promise<{ rows: unknown[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** For snapshots, which keep a connection. */
  connect?(): Promise<PostgresClient>;
}

interface PostgresClient {
  query(query: PostgresQuery): Promise<{ rows: unknown[] }>;
  /** Returns the connection to the pool; with an error, closes it. */
  release(error?: Error | boolean): void;
}

interface PostgresQuery {
  readonly text: string;
  readonly values?: unknown[];
  readonly query_timeout?: number;
}

/** Pools that already have our listener for lost connections. Several stores may share a pool. */
const listening = new WeakSet<PostgresPool>();

/** A pool, with the names of our objects in its database. */
export class Database {
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

  /**
   * Runs one statement, which is one transaction. It has no name: with a connection pooler, a named
   * statement may not exist the next time.
   */
  async query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.#send(this.#pool, text, values);
  }

  /** A connection for several statements. `release` it. */
  async connect(): Promise<Connection> {
    const client = await this.#pool.connect?.();
    if (client === undefined) throw new TypeError('The pool has no method connect().');
    return {
      query: (text, values = []) => this.#send(client, text, values),
      release: (isBroken) => client.release(isBroken),
    };
  }

  async #send<Row>(
    to: Pick<PostgresPool, 'query'>,
    text: string,
    values: unknown[],
  ): Promise<Row[]> {
    const query = { text, values, query_timeout: this.#timeout };
    try {
      return (await to.query(query)).rows as Row[];
    } catch (error) {
      throw failureOf(error as DatabaseError);
    }
  }
}

export interface Connection {
  query<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  release(isBroken: boolean): void;
}

/**
 * The pool drops an idle connection that the server closed. The next query opens another one or
 * fails.
 */
function ignoreLostConnection(): void {}
