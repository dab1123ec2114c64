import { type StorageMiddleware, storageMiddleware } from '@bucketware/express';
import type { ObjectStorage, Principal } from '@bucketware/storage';
import type { Request } from 'express';

interface Quotas {
  readonly userOf: (req: Request) => Principal | undefined;
  /** What all objects of a bucket may have together. */
  readonly maxBytes: number;
}

/** Limits what a bucket may hold. Uploads that run at the same time may go beyond it together. */
export function withQuotas(
  storage: ObjectStorage,
  { userOf, maxBytes }: Quotas,
): StorageMiddleware {
  return storageMiddleware(storage, {
    principal: userOf,
    async authorize({ allowed, permission, operation, bucket, key, size = 0 }) {
      const adds = permission === 'WRITE' && key !== undefined && !operation.startsWith('Delete');
      if (!allowed || !adds || bucket === undefined) return allowed;
      return (await usageOf(storage, bucket)) + size <= maxBytes;
    },
  });
}

/** The bytes of all objects of a bucket. */
export async function usageOf(storage: ObjectStorage, bucket: string): Promise<number> {
  let bytes = 0;
  for (let marker: string | undefined; ; ) {
    const page = await storage.listObjects({ bucket, marker });
    for (const { size } of page.contents) bytes += size;
    marker = page.nextMarker;
    if (!page.isTruncated) return bytes;
  }
}
