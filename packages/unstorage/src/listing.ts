import { type Client, type ErrorCode, StorageError } from '@bucketware/core';

interface Place {
  readonly storage: Pick<Client, 'listObjects' | 'deleteMultipleObjects'>;
  readonly bucket: string;
  readonly prefix: string;
}

/**
 * Lists the keys below a prefix. With a depth, it lists only those with at most that many slashes
 * after the prefix, and skips deeper ones without reading them.
 */
export async function* keysBelow(
  { storage, bucket, prefix }: Place,
  depth?: number,
): AsyncGenerator<string, void> {
  if (depth !== undefined && depth < 0) return;
  const levels = depth === undefined ? {} : { delimiter: '/' };
  let marker: string | undefined;
  do {
    const page = await storage.listObjects({ bucket, prefix, ...levels, marker });
    for (const { key } of page.contents) yield key;
    for (const folder of page.commonPrefixes ?? []) {
      const next = { storage, bucket, prefix: folder.prefix };
      yield* keysBelow(next, depth === undefined ? undefined : depth - 1);
    }
    marker = page.isTruncated ? page.nextMarker : undefined;
  } while (marker !== undefined);
}

/** Deletes the objects below a prefix, page by page. Throws the first failure. */
export async function deleteBelow({ storage, bucket, prefix }: Place): Promise<void> {
  for (;;) {
    const { contents, isTruncated } = await storage.listObjects({ bucket, prefix });
    if (contents.length === 0) return;
    const { errors } = await storage.deleteMultipleObjects({ bucket, objects: contents });
    // Another caller may have deleted some of the objects meanwhile.
    const failed = errors.find(({ code }) => code !== 'NoSuchKey');
    if (failed !== undefined) {
      throw new StorageError(failed.code as ErrorCode, `${failed.key}: ${failed.message}`);
    }
    if (!isTruncated) return;
  }
}
