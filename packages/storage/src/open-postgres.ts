import type { MetadataStore } from '@bucketware/core';
import type { Durability } from './config.js';
import { load } from './load.js';
import { checkUrl, errorWithout, redacted } from './url.js';

export const isPostgresUrl = (url: string): boolean => /^postgres(ql)?:/.test(url);

interface TableOptions {
  readonly durability: Durability;
  readonly table: string | undefined;
}

/** Records in rows of the database that a url names. No error shows a password of it. */
export async function openPostgres(url: string, options: TableOptions): Promise<MetadataStore> {
  checkUrl(url);
  try {
    const { postgresMetadata } = await load(
      '@bucketware/postgres',
      () => import('@bucketware/postgres'),
    );
    return await postgresMetadata({ url, ...options });
  } catch (error) {
    const cause = errorWithout(url, error);
    throw new Error(`The records at ${redacted(url)} could not be opened.`, { cause });
  }
}
