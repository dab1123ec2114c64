import type { Entry, MetadataStore } from '@bucketware/core';

/** All records of a small storage. */
export const recordsOf = (metadata: MetadataStore): Promise<readonly Entry[]> =>
  metadata.list({ prefix: '', limit: 1000 });

/** What point-in-time recovery does to a database. */
export async function goBack(metadata: MetadataStore, records: readonly Entry[]): Promise<void> {
  const now = new Map((await recordsOf(metadata)).map(({ key, version }) => [key, version]));
  const put = records.filter(({ key, version }) => now.get(key) !== version);
  for (const { key } of records) now.delete(key);
  await metadata.commit({ put, delete: [...now.keys()] });
}
