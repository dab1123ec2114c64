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
  UnreachableError,
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
import { checkUrlParameters } from './url-parameters.js';

export type { PostgresPool } from './database.js';

export interface PostgresMetadataOptions {
  /**
   * The URL of the database, such as `postgres://user:password@host:5432/name?sslmode=verify-full`.
   * Unknown parameters are refused. Required unless there is a `pool`.
   */
  readonly url?: string | undefined;
  /**
   * A `Pool` of the package `pg`, best one that only the store uses. It stays open when the store
   * closes.
   */
  readonly pool?: PostgresPool | undefined;
  /**
   * The table, which is created when missing, with a sequence and a function: up to 51 characters
   * of a-z, 0-9 and `_`, not beginning with a digit. Default `bucketware_records`.
   */
  readonly table?: string | undefined;
  /**
   * `full` (default): a resolved commit is on the disk. `relaxed`: a crash of the server may lose
   * the last commits, but never only part of one.
   */
  readonly durability?: 'full' | 'relaxed' | undefined;
  /**
   * How long a call may take before it fails, in milliseconds, including all waiting. Default
   * 10,000. With a `pool`, also set its `connectionTimeoutMillis`.
   */
  readonly timeout?: number | undefined;
}

const TABLE = /^[a-z_][a-z0-9_]{0,50}$/;

const OPTIONS: KnownOptions<PostgresMetadataOptions> = {
  url: kinds.text,
  pool: {
    is: 'a Pool of the package pg, not a Client',
    fits: (value) =>
      typeof (value as Partial<PostgresPool> | null)?.query === 'function' &&
      !('processID' in (value as object)),
  },
  table: {
    is: 'a name of up to 51 characters of a-z, 0-9 and _ that does not begin with a digit',
    fits: (value) => typeof value === 'string' && TABLE.test(value),
  },
  durability: kinds.oneOf('full', 'relaxed'),
  timeout: kinds.interval,
};

/**
 * Stores the records in a PostgreSQL table, which processes on several machines may share.
 *
 * Rejects if the server cannot be reached, or cannot provide the store's guarantees: a replica, an
 * unlogged table, or with `durability: 'full'` a server that acknowledges commits before they are
 * flushed.
 *
 * ```ts
 * const metadata = await postgresMetadata({ url: 'postgres://user:password@host:5432/name' });
 * ```
 */
export async function postgresMetadata(options: PostgresMetadataOptions): Promise<MetadataStore> {
  checkOptions('postgresMetadata()', options, OPTIONS);
  const { url, pool, table = 'bucketware_records' } = options;
  const { durability = 'full', timeout = 10_000 } = options;
  if ((url === undefined) === (pool === undefined)) {
    throw new TypeError('postgresMetadata() takes either a url or a pool.');
  }
  if (url !== undefined) checkUrlParameters(url);
  const own =
    url === undefined
      ? undefined
      : new pg.Pool({ connectionString: url, connectionTimeoutMillis: timeout });
  try {
    const database = await makeSchema(new Database((own ?? pool) as PostgresPool, table, timeout));
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
    this.#commits = new Commits(database, durability === 'full');
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
    let isLate = false;
    const open = async () => {
      const onClose = () => this.#snapshots.delete(snapshot);
      const snapshot = await PostgresSnapshot.open(this.#database, onClose);
      this.#snapshots.add(snapshot);
      // Nobody else will: the caller has already received an error.
      if (isLate) await snapshot.close();
      return snapshot;
    };
    return this.#run(open, () => {
      isLate = true;
      return new UnreachableError(this.#late);
    });
  }

  async commit(change: Change): Promise<string | undefined> {
    const request = toRequest(change);
    if (request === undefined) return this.#run(async () => undefined);
    return this.#run(
      () => this.#commits.run(request),
      () => this.#commits.giveUp(request),
    );
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

  async #run<T>(work: () => Promise<T>, giveUp?: () => Error): Promise<T> {
    if (this.#closing) throw new Error('The metadata store is closed.');
    const running = work();
    const ended = (): void => void this.#running.delete(running);
    this.#running.add(running);
    running.then(ended, ended);
    return within(this.#timeout, giveUp ?? this.#late, running);
  }

  get #late(): string {
    return `PostgreSQL did not complete a query in ${this.#timeout} ms.`;
  }
}
