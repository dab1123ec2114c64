import type { Authorize, ObjectStorage } from '@bucketware/storage';

interface Quotas {
  readonly usageOf: UsageOf;
  /** The most that a bucket may hold, including its unfinished uploads. */
  readonly maxBytes: number;
}

/** How many unfinished uploads a bucket may have. */
const MAX_UNFINISHED = 20;

const ADDS_NOTHING = /^(Delete|Abort|Complete|Rename)/;

/** Limits what a bucket may hold. Users cannot create buckets. Concurrent requests may together exceed the limits. */
export function quotaRule(storage: ObjectStorage, { usageOf, maxBytes }: Quotas): Authorize {
  return async ({ allowed, permission, operation, bucket, key, size }) => {
    if (permission === 'CREATE') return false; // With more buckets, users would have more room.
    const adds = permission === 'WRITE' && key !== undefined && !ADDS_NOTHING.test(operation);
    if (!allowed || !adds || bucket === undefined) return allowed;
    if (operation === 'InitiateMultipartUpload') {
      const limit = { bucket, maxUploads: MAX_UNFINISHED };
      return (await storage.listMultipartUploads(limit)).uploads.length < MAX_UNFINISHED;
    }
    return size !== undefined && (await usageOf(bucket)) + size <= maxBytes;
  };
}

/** Resolves to the bytes of all objects of a bucket, and of the parts of its unfinished uploads. */
export type UsageOf = (bucket: string) => Promise<number>;

/** Counts each bucket only once at a time. Calls that arrive during a count share the next one. */
export function usageCounter(storage: ObjectStorage): UsageOf {
  const running = new Map<string, Promise<number>>();
  const next = new Map<string, Promise<number>>();
  const countNext = async (bucket: string) => {
    await running.get(bucket)?.catch(() => {}); // Its own callers get the error.
    next.delete(bucket);
    const count = countIn(storage, bucket);
    running.set(bucket, count);
    return count.finally(() => {
      if (running.get(bucket) === count) running.delete(bucket);
    });
  };
  return (bucket) => {
    const count = next.get(bucket) ?? countNext(bucket);
    next.set(bucket, count);
    return count;
  };
}

async function countIn(storage: ObjectStorage, bucket: string): Promise<number> {
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
