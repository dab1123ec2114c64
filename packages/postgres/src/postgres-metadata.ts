import {
  type Change,
  checkOptions,
  type Entry,
  encodeKey,
  type KeyRange,
  type KnownOptions,
  kinds,
  type MetadataSnapshot,
  type MetadataStore,
  within,
} from '@bucketware/core/contracts';
import pg from 'pg';
import { toRequest } from './changes.js';
import { Commits } from './commits.js';
import { Database, type PostgresPool } from './database.js';
import { Reads } from './reads.js';
import { makeSchema } from './schema.js';
import { checkServer } from './server-checks.js';
import { PostgresSnapshot } from './snapshot.js';

export type { PostgresPool } from './database.js';

export interface PostgresMetadataOptions {
  /** Of the database, such as `postgres://user:password@host:5432/name`. Or give a `pool`. */
  readonly url?: string | undefined;
  /** A `Pool` of the package `pg`, which stays open when the store closes. */
  readonly pool?: PostgresPool | undefined;
  /** Made when it is missing, with a sequence and a function beside it. Default `bucketware_records`. */
  readonly table?: string | undefined;
  /**
   * `full`, the default: a commit that resolved is on the disk. `relaxed`: a crash of the server may
   * take the last commits, but never a part of one.
   */
  readonly durability?: 'full' | 'relaxed' | undefined;
  /**
   * After how many milliseconds a call counts as failed, wherever it waits. Default 10,000. For a
   * `pool`, set its `connectionTimeoutMillis` as well.
   */
  readonly timeout?: number | undefined;
}

const TABLE = /^[a-z_][a-z0-9_]{0,50}$/;

const OPTIONS: KnownOptions<PostgresMetadataOptions> = {
  url: kinds.text,
  pool: {
    is: 'a Pool of the package pg',
    fits: (value) => typeof (value as Partial<PostgresPool> | null)?.query === 'function',
  },
  table: {
    is: 'a name of up to 51 of the characters a-z, 0-9 and _, without a digit in front',
    fits: (value) => typeof value === 'string' && TABLE.test(value),
  },
  durability: kinds.oneOf('full', 'relaxed'),
  timeout: kinds.interval,
};

/**
 * Records in a table of PostgreSQL, which processes on several machines may share.
 *
 * Rejects when the server cannot keep what the store promises: a replica, an unlogged table, or
 * with `durability: 'full'` a server that answers before it has flushed.
 */
export async function postgresMetadata(options: PostgresMetadataOptions): Promise<MetadataStore> {
  checkOptions('postgresMetadata()', options, OPTIONS);
  const { url, pool, table = 'bucketware_records' } = options;
  const { durability = 'full', timeout = 10_000 } = options;
  if ((url === undefined) === (pool === undefined)) {
    throw new TypeError('postgresMetadata() takes either a url or a pool.');
  }
  const own =
    url === undefined
      ? undefined
      : new pg.Pool({ connectionString: url, connectionTimeoutMillis: timeout });
  try {
    const database = new Database((own ?? pool) as PostgresPool, table, timeout);
    await makeSchema(database);
    await checkServer(database, durability);
    return new PostgresMetadata(database, { durability, timeout }, async () => own?.end());
  } catch (error) {
    await own?.end();
    throw error;
  }
}

class PostgresMetadata implements MetadataStore {
  readonly #database: Database;
  readonly #snapshots = new Set<PostgresSnapshot>();
  readonly #commits: Commits;
  readonly #reads: Reads;
  readonly #running = new Set<Promise<unknown>>();
  readonly #timeout: number;
  readonly #end: () => Promise<void>;
  #closing: Promise<void> | undefined;

  constructor(
    database: Database,
    { durability, timeout }: { durability: 'full' | 'relaxed'; timeout: number },
    end: () => Promise<void>,
  ) {
    this.#database = database;
    this.#commits = new Commits(database, durability === 'full', timeout);
    this.#timeout = timeout;
    this.#reads = new Reads(database);
    this.#end = end;
  }

  async get(key: string): Promise<Entry | undefined> {
    const [entry] = await this.getMany([key]);
    return entry;
  }

  async getMany(keys: readonly string[]): Promise<(Entry | undefined)[]> {
    for (const key of keys) encodeKey(key);
    return keys.length === 0
      ? this.#run(async () => [])
      : this.#run(() => this.#reads.getMany(keys));
  }

  list(range: KeyRange): Promise<Entry[]> {
    return this.#run(() => this.#reads.list(range));
  }

  snapshot(): Promise<MetadataSnapshot> {
    return this.#run(async () => {
      const onClose = () => this.#snapshots.delete(snapshot);
      const snapshot = await PostgresSnapshot.open(this.#database, onClose);
      this.#snapshots.add(snapshot);
      return snapshot;
    });
  }

  commit(change: Change): Promise<string | undefined> {
    return this.#run(async () => {
      const request = toRequest(change);
      return request && this.#commits.run(request);
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#running);
    await Promise.all([...this.#snapshots].map((snapshot) => snapshot.close()));
    await this.#end();
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing) throw new Error('The metadata store is closed.');
    const running = work();
    const ended = (): void => void this.#running.delete(running);
    this.#running.add(running);
    running.then(ended, ended);
    return within(
      this.#timeout,
      `PostgreSQL did not complete a query in ${this.#timeout} ms.`,
      running,
    );
  }
}
