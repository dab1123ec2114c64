import { type DatabaseError, failureOf } from './failures.js';

/** What is needed of a `Pool` of the package `pg`. */
export interface PostgresPool {
  query(query: PostgresQuery): Promise<{ rows: unknown[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
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
    const query = { text, values, query_timeout: this.#timeout };
    try {
      return (await this.#pool.query(query)).rows as Row[];
    } catch (error) {
      throw failureOf(error as DatabaseError);
    }
  }
}

/** The pool drops an idle connection that the server ended; the next query opens another or fails. */
function ignoreLostConnection(): void {}
