import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BlobNotFoundError,
  type BlobStore,
  type CheckResult,
  createObjectStorage,
  type GrowingBlobStore,
  type MetadataStore,
  type ObjectStorage,
  type ObjectStorageOptions,
} from '@bucketware/core';
import { filesystemBlobs } from '@bucketware/filesystem';
import { lmdbMetadata } from '@bucketware/lmdb';
import { replaced } from '../simulator/protocol.js';

const DAY = 24 * 60 * 60 * 1000;

/** Data of one letter that is too large for a record. */
export const block = (letter: string, size = 102_400): Buffer => Buffer.alloc(size, letter);

export interface Wrap {
  readonly blobs?: (blobs: GrowingBlobStore) => BlobStore;
  readonly metadata?: (metadata: MetadataStore) => MetadataStore;
}

export interface Fixture {
  /** The current storage, which `reopen` replaces. */
  storage: ObjectStorage;
  readonly metadata: MetadataStore;
  readonly blobs: BlobStore;
  /** Opens the storage again on the same drivers without closing it, as after a crash. */
  reopen(): Promise<void>;
  /** Advances the clock by days, so that every read grace period is over. */
  wait(days?: number): void;
  /** Advances the clock, sweeps everything that is due, and returns what is left. */
  settle(): Promise<CheckResult & { readonly records: Readonly<Record<string, number>> }>;
  close(): Promise<void>;
}

/** A storage on disk that does not sweep by itself. The test sets its clock. */
export async function createFixture(
  wrap: Wrap = {},
  options: Partial<ObjectStorageOptions> = {},
): Promise<Fixture> {
  const directory = await mkdtemp(join(tmpdir(), 'bucketware-'));
  const durability = 'relaxed';
  const blobs = await filesystemBlobs({ directory: join(directory, 'blobs'), durability });
  const metadata = await lmdbMetadata({ directory: join(directory, 'records'), durability });
  let time = Date.parse('2030-01-01T00:00:00Z');
  const open = (): Promise<ObjectStorage> =>
    createObjectStorage({
      blobs: wrap.blobs?.(blobs) ?? blobs,
      metadata: wrap.metadata?.(metadata) ?? metadata,
      now: () => time++,
      sweepEvery: false,
      onError: () => {},
      ...options,
    });
  const count = async (prefix: string): Promise<number> =>
    (await metadata.list({ prefix, limit: 10_000 })).length;
  const place: Fixture = {
    storage: await open(),
    metadata,
    blobs,
    async reopen() {
      place.storage = await open();
    },
    wait(days = 8) {
      time += days * DAY;
    },
    async settle() {
      place.wait();
      await place.storage.sweep();
      const result = await place.storage.check();
      const records: Record<string, number> = {};
      for (const kind of ['a', 'i', 'm', 'u', 'p', 'c', 'g'])
        records[kind] = await count(`${kind}/`);
      return { ...result, records };
    },
    async close() {
      await place.storage.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
  return place;
}

/** The same store, as an object whose methods can be replaced. */
export const delegate = (blobs: BlobStore): BlobStore => replaced(blobs, {});

/** The same store, but blobs cannot grow, and sharing a blob copies its data. */
export function fixed(blobs: BlobStore): BlobStore {
  const { append, ...rest } = delegate(blobs);
  return {
    ...rest,
    async share(id, as) {
      const size = await sizeOf(blobs, id);
      await blobs.write(as, await blobs.read(id, { start: 0, end: size }));
    },
  };
}

async function sizeOf(blobs: BlobStore, wanted: string): Promise<number> {
  for await (const { id, size } of blobs.list()) if (id === wanted) return size;
  throw new BlobNotFoundError(wanted);
}

/** The data of an object; `undefined` if it does not exist. */
export async function read(storage: ObjectStorage, bucket: string, key: string) {
  try {
    return await (await storage.getObject({ bucket, key })).bytes();
  } catch (error) {
    if ((error as { code?: string }).code === 'NoSuchKey') return undefined;
    throw error;
  }
}

/** The visible state of a bucket: the content of its objects, and the parts of its uploads. */
export async function stateOf(storage: ObjectStorage, bucket: string): Promise<string[]> {
  const state: string[] = [];
  for (const { key, size, etag: eTag } of (await storage.listObjects({ bucket })).contents) {
    const bytes = await read(storage, bucket, key);
    const md5 = createHash('md5')
      .update(bytes ?? '')
      .digest('hex');
    if (bytes?.length !== size) throw new Error(`${key} is listed with another size.`);
    if (!eTag.startsWith('-') && eTag !== md5) throw new Error(`${key} has another ETag.`);
    state.push(`${key} ${md5}`);
  }
  for (const { key, uploadId } of (await storage.listMultipartUploads({ bucket })).uploads) {
    const { parts } = await storage.listParts({ bucket, key, uploadId });
    state.push(
      `${key}: ${parts.map(({ partNumber, etag: eTag }) => `${partNumber} ${eTag}`).join()}`,
    );
  }
  return state;
}

export interface Listed {
  readonly partNumber: number;
  readonly eTag: string;
}

export async function uploadOf(
  storage: ObjectStorage,
  bucket: string,
  key: string,
  bodies: readonly (string | Uint8Array)[],
) {
  const { uploadId } = await storage.initiateMultipartUpload({ bucket, key });
  const upload = { bucket, key, uploadId };
  const parts: Listed[] = [];
  for (const body of bodies) {
    const partNumber = parts.length + 1;
    const { etag: eTag } = await storage.uploadPart({ ...upload, partNumber, body });
    parts.push({ partNumber, eTag });
  }
  const complete = () => storage.completeMultipartUpload({ ...upload, parts });
  const abort = () => storage.abortMultipartUpload(upload);
  return { upload, parts, complete, abort };
}

/** `done`, or the error's code or message. */
export const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error) => error.code ?? error.message,
  );

/** Blob ids are reserved one by one, so that each operation makes all of its steps itself. */
export const EACH_ALONE = { reservedBlobs: 0 };
