import { randomBytes } from 'node:crypto';
import {
  type ChecksumAlgorithm,
  createObjectStorage,
  type ErrorCode,
  type MetadataStore,
  memoryBlobs,
  memoryMetadata,
  type ObjectStorage,
  StorageError,
} from '@bucketware/core';
import type { ExecutionContext } from 'ava';

export const bucket = 'bucket';
export const key = 'key';

export async function prepared(): Promise<{ storage: ObjectStorage; metadata: MetadataStore }> {
  const metadata = memoryMetadata();
  const storage = await createObjectStorage({ blobs: memoryBlobs(), metadata });
  await storage.putBucket({ bucket });
  return { storage, metadata };
}

export async function fails(t: ExecutionContext, promise: Promise<unknown>, code: ErrorCode) {
  const error = await t.throwsAsync<StorageError>(promise, { instanceOf: StorageError });
  t.is(error?.code, code, error?.message);
}

/** The checksum of data in one piece. */
export async function sumOf(
  storage: ObjectStorage,
  algorithm: ChecksumAlgorithm,
  body: Buffer,
): Promise<string> {
  const at = { bucket, key: 'whole' };
  const { checksum } = await storage.putObject({ ...at, body, checksum: { algorithm } });
  return checksum?.value as string;
}

interface Uploading {
  readonly bodies: ReadonlyMap<number, Buffer>;
  readonly algorithm?: ChecksumAlgorithm;
  readonly type?: 'whole' | 'composite';
  /** The checksum that is sent with each part. */
  readonly sent?: ChecksumAlgorithm;
}

/** Uploads numbered parts. Returns the list that completes them. */
export async function upload(storage: ObjectStorage, { bodies, algorithm, type, sent }: Uploading) {
  const { uploadId } = await storage.initiateMultipartUpload({
    ...{ bucket, key, checksumAlgorithm: algorithm, checksumType: type },
  });
  const parts: { partNumber: number; etag: string }[] = [];
  for (const [partNumber, body] of bodies) {
    const checksum = sent && { algorithm: sent };
    const part = { bucket, key, uploadId, partNumber, body, checksum };
    parts.push({ partNumber, etag: (await storage.uploadPart(part)).etag });
  }
  return { bucket, key, uploadId, parts };
}

export const threeParts = (): Map<number, Buffer> =>
  new Map([
    [2, randomBytes(102_400)],
    [3, randomBytes(110_007)],
    [10_000, randomBytes(11)],
  ]);
