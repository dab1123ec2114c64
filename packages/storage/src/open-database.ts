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
  /** Throws a TypeError for an invalid URL of this database. */
  check(url: string): void;
  open(url: string, options: DatabaseOptions): Promise<MetadataStore>;
}

/** Apps install the package of their database themselves. */
const redis: Database = {
  takes: ['prefix'],
  check(url) {
    checkUrl(url);
    // Its client ignores them, but the user expects TLS or another database.
    if (url.includes('?')) {
      throw new TypeError(
        'A Redis URL takes no parameters after ?. For TLS, use rediss://; for another database, add its number ' +
          'as the path: redis://host:6379/1. For anything else, pass a Keyv.',
      );
    }
  },
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

/** The database of a URL, or `undefined` when the text is not the URL of a database. */
export function databaseOf(url: string): Database | undefined {
  const scheme = url.slice(0, Math.max(url.indexOf(':'), 0));
  return Object.hasOwn(DATABASES, scheme) ? DATABASES[scheme] : undefined;
}

/** Opens the records in the database of a URL. No error shows its password. */
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

/** SQLite would take anything but a path as the name of a file, including a key in the URL. */
function sqlitePath(url: string): string {
  const path = url.slice('sqlite:'.length);
  if (path === ':memory:') {
    throw new TypeError(
      "sqlite::memory: would not keep the records. For tests, use metadata: 'memory'.",
    );
  }
  if (path === '' || /[?#\0]|^(file:|:|\/\/(?!\/))/.test(path)) {
    throw new TypeError(
      'A SQLite URL has the form sqlite:<path>, such as sqlite:/var/lib/app/records.db, without options ' +
        'after ? or #.',
    );
  }
  return resolve(path);
}
