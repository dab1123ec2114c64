import { type StorageMiddleware, storageMiddleware } from '@bucketware/express';
import type { ObjectStorage, Principal } from '@bucketware/storage';
import type { Request } from 'express';

interface Quotas {
  readonly userOf: (req: Request) => Principal | undefined;
  /** The most that a bucket may hold, including its unfinished uploads. */
  readonly maxBytes: number;
}

const ADDS_NOTHING = /^(Delete|Abort|Initiate|Complete|Rename)/;

/** Limits what a bucket may hold. Users cannot create buckets. Concurrent uploads may together exceed the limit. */
export function withQuotas(
  storage: ObjectStorage,
  { userOf, maxBytes }: Quotas,
): StorageMiddleware {
  return storageMiddleware(storage, {
    principal: userOf,
    async authorize({ allowed, permission, operation, bucket, key, size }) {
      if (permission === 'CREATE') return false; // With more buckets, users would have more room.
      const adds = permission === 'WRITE' && key !== undefined && !ADDS_NOTHING.test(operation);
      if (!allowed || !adds || bucket === undefined) return allowed;
      return size !== undefined && (await usageOf(storage, bucket)) + size <= maxBytes;
    },
  });
}

/** The bytes of all objects of a bucket, and of the parts of its unfinished uploads. */
export async function usageOf(storage: ObjectStorage, bucket: string): Promise<number> {
  // An upload that completes meanwhile counts twice rather than not at all.
  let bytes = await unfinishedIn(storage, bucket);
  for (let marker: string | undefined; ; ) {
    const page = await storage.listObjects({ bucket, marker });
    for (const { size } of page.contents) bytes += size;
    marker = page.nextMarker;
    if (!page.isTruncated) return bytes;
  }
}

async function unfinishedIn(storage: ObjectStorage, bucket: string): Promise<number> {
  let bytes = 0;
  for (let keyMarker: string | undefined, uploadIdMarker: string | undefined; ; ) {
    const page = await storage.listMultipartUploads({ bucket, keyMarker, uploadIdMarker });
    for (const { key, uploadId } of page.uploads) {
      bytes += await sizeOfParts(storage, { bucket, key, uploadId }).catch((error) => {
        if (error.code === 'NoSuchUpload') return 0; // It has just ended.
        throw error;
      });
    }
    ({ nextKeyMarker: keyMarker, nextUploadIdMarker: uploadIdMarker } = page);
    if (!page.isTruncated) return bytes;
  }
}

async function sizeOfParts(
  storage: ObjectStorage,
  upload: { readonly bucket: string; readonly key: string; readonly uploadId: string },
): Promise<number> {
  let bytes = 0;
  for (let partNumberMarker = 0; ; ) {
    const page = await storage.listParts({ ...upload, partNumberMarker });
    for (const { size } of page.parts) bytes += size;
    partNumberMarker = page.nextPartNumberMarker;
    if (!page.isTruncated) return bytes;
  }
}
