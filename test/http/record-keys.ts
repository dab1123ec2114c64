import type { MetadataStore } from '@bucketware/core';

/** The id of a bucket, which begins the keys of its objects and uploads. */
export async function bucketIdOf(metadata: MetadataStore, bucket: string): Promise<string> {
  const record = (await metadata.get(`b/${bucket}`))?.value as { id?: string } | undefined;
  return record?.id ?? bucket;
}

/** The key of an object's record. */
export const objectKeyOf = async (
  metadata: MetadataStore,
  bucket: string,
  key: string,
): Promise<string> => `o/${await bucketIdOf(metadata, bucket)}/${key}`;
