import { type DatabaseError, failureOf } from './failures.js';

/** What is needed of a `Pool` of the package `pg`. */
export interface PostgresPool {
  query(query: PostgresQuery): Promise<{ rows: unknown[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** For snapshots, which keep a connection. */
  connect?(): Promise<PostgresClient>;
}

interface PostgresClient {
  query(query: PostgresQuery): Promise<{ rows: unknown[] }>;
  /** Back to the pool; with an error, the connection is ended. */
  release(error?: Error | boolean): void;
}

interface PostgresQuery {
  readonly text: string;
  readonly values?: unknown[];
  readonly query_timeout?: number;
}

/** Pools whose lost connections are no surprise any more. Several stores may share one. */
const listening = new WeakSet<PostgresPool>();

/** A pool and the names of what is ours in its database. */
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
   * One statement, which is one transaction. It has no name: behind a pooler of connections a named
   * one may not be there the next time.
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

/** The pool drops an idle connection that the server ended; the next query opens another or fails. */
function ignoreLostConnection(): void {}
