import { resolve } from 'node:path';
import type { MetadataStore } from '@bucketware/core';
import { keyvMetadata, SqliteStore } from '@bucketware/keyv';
import { Keyv, type KeyvStoreAdapter } from 'keyv';
import { load } from './load.js';
import { makePrivateFile } from './private-file.js';
import { checkUrl, errorWithout, redacted } from './url.js';

/** How a store is opened from its url. The packages of the databases are the host's to install. */
const STORES: Readonly<Record<string, (url: string, options: StoreOptions) => Promise<unknown>>> = {
  async redis(url) {
    checkUrl(url);
    const { default: KeyvRedis } = await load('@keyv/redis', () => import('@keyv/redis'));
    return new KeyvRedis(url);
  },
  async sqlite(url, { durability }) {
    const path = sqlitePath(url);
    const { DatabaseSync } = await load(
      '@photostructure/sqlite',
      () => import('@photostructure/sqlite'),
    );
    await makePrivateFile(path);
    return new SqliteStore(new DatabaseSync(path), { durability });
  },
};
const ALIASES: Readonly<Record<string, string>> = { rediss: 'redis' };

/** Whatever is no path of a file would become the name of one, with its key. */
function sqlitePath(url: string): string {
  const path = url.slice('sqlite:'.length);
  if (path === ':memory:') {
    throw new TypeError("sqlite::memory: keeps no records. Write metadata: 'memory' for tests.");
  }
  if (path === '' || /[?#\0]|^(file:|:|\/\/(?!\/))/.test(path)) {
    throw new TypeError(
      'A url of SQLite is sqlite:<path>, such as sqlite:/var/lib/app/records.db, without options ' +
        'after ? or #. For a database with options, pass a Keyv on a SqliteStore that you opened.',
    );
  }
  return resolve(path);
}

interface StoreOptions {
  readonly durability: 'full' | 'relaxed';
  readonly prefix?: string | undefined;
}

const schemeOf = (url: string): string => {
  const scheme = url.slice(0, Math.max(url.indexOf(':'), 0));
  return ALIASES[scheme] ?? scheme;
};

export const isKeyvUrl = (url: string): boolean => Object.hasOwn(STORES, schemeOf(url));

/** Records in the database that a url names. No error shows a password of it. */
export async function openKeyv(url: string, options: StoreOptions): Promise<MetadataStore> {
  const open = STORES[schemeOf(url)] as (typeof STORES)[string];
  // The message does not show the url, so nothing has to be taken out of it.
  if (schemeOf(url) === 'sqlite') sqlitePath(url);
  let keyv: Keyv | undefined;
  try {
    keyv = new Keyv({ store: (await open(url, options)) as KeyvStoreAdapter });
    return await keyvMetadata(keyv, { ...options, disconnect: true });
  } catch (error) {
    // Otherwise a client may try to connect for ever. Its failure is reported, not one of its end.
    await keyv?.disconnect().catch(() => undefined);
    const cause = errorWithout(url, error);
    throw new Error(`The records at ${redacted(url)} could not be opened.`, { cause });
  }
}
