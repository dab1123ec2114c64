import { resolve } from 'node:path';
import type { MetadataStore } from '@bucketware/core';
import type { Durability } from './config.js';
import { load } from './load.js';
import { openRedis } from './open-redis.js';
import { checkUrl, errorWithout, redacted } from './url.js';

export interface DatabaseOptions {
  readonly durability: Durability;
  readonly prefix: string | undefined;
  readonly table: string | undefined;
}

interface Database {
  /** The options that only this database has. */
  readonly takes: readonly ('prefix' | 'table')[];
  /** Throws a TypeError for a url that is not one of this database. */
  check(url: string): void;
  open(url: string, options: DatabaseOptions): Promise<MetadataStore>;
}

/** The packages of the databases are the host's to install. */
const redis: Database = {
  takes: ['prefix'],
  check: checkUrl,
  open: (url, { durability, prefix }) => openRedis(url, { durability, prefix }),
};
const postgres: Database = {
  takes: ['table'],
  check: checkUrl,
  async open(url, { durability, table }) {
    const name = '@bucketware/postgres';
    const { postgresMetadata } = await load(name, () => import('@bucketware/postgres'));
    return postgresMetadata({ url, durability, table });
  },
};
const sqlite: Database = {
  takes: [],
  check: (url) => void sqlitePath(url),
  async open(url, { durability }) {
    const path = sqlitePath(url);
    const name = '@bucketware/sqlite';
    const { sqliteMetadata } = await load(name, () => import('@bucketware/sqlite'));
    return sqliteMetadata({ path, durability });
  },
};

const DATABASES: Readonly<Record<string, Database>> = {
  ...{ redis, rediss: redis },
  ...{ postgres, postgresql: postgres },
  sqlite,
};

/** The database that a url is of, or `undefined` when the text is no url of one. */
export function databaseOf(url: string): Database | undefined {
  const scheme = url.slice(0, Math.max(url.indexOf(':'), 0));
  return Object.hasOwn(DATABASES, scheme) ? DATABASES[scheme] : undefined;
}

/** Records in the database that a url names. No error shows a password of it. */
export async function openDatabase(
  database: Database,
  url: string,
  options: DatabaseOptions,
): Promise<MetadataStore> {
  database.check(url);
  try {
    return await database.open(url, options);
  } catch (error) {
    const cause = errorWithout(url, error);
    throw new Error(`The records at ${redacted(url)} could not be opened.`, { cause });
  }
}

/** Whatever is no path of a file would become the name of one, with its key. */
function sqlitePath(url: string): string {
  const path = url.slice('sqlite:'.length);
  if (path === ':memory:') {
    throw new TypeError("sqlite::memory: keeps no records. Write metadata: 'memory' for tests.");
  }
  if (path === '' || /[?#\0]|^(file:|:|\/\/(?!\/))/.test(path)) {
    throw new TypeError(
      'A url of SQLite is sqlite:<path>, such as sqlite:/var/lib/app/records.db, without options ' +
        'after ? or #.',
    );
  }
  return resolve(path);
}
