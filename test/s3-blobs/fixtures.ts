import { randomBytes } from 'node:crypto';
import type { BlobStore } from '@bucketware/core';
import { s3Blobs } from '@bucketware/s3-blobs';
import type { ExecutionContext } from 'ava';
import { type Store, s3Store } from './store.js';

export const MIB = 1024 * 1024;
export const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };

/**
 * The time limit in milliseconds of a request with all its attempts, if the next attempt succeeds.
 */
const TIMEOUT = 9000;

/** The time limit for tests in which all attempts fail. */
export const SHORT = 1800;

/** The time limit for tests in which only some attempts get a response. */
export const MEDIUM = 4500;

/** A blob store on an S3 store whose faults the test chooses. */
export async function serve(
  t: ExecutionContext,
  timeout = TIMEOUT,
): Promise<{ store: Store; blobs: BlobStore }> {
  const store = await s3Store();
  t.teardown(() => store.close());
  const options = { url: urlOf(store), credentials, timeout, partSize: 5 * MIB };
  const blobs = await s3Blobs(options).catch(() => s3Blobs(options)); // The machine may be busy.
  t.teardown(() => blobs.close());
  store.seen.length = 0;
  return { store, blobs };
}

export const urlOf = ({ endpoint }: Store): string => `s3://bucket/pre/fix?endpoint=${endpoint}`;

export const keyOf = (id: string): string => `pre/fix/blobs/${id}`;

export const newId = (): string => randomBytes(16).toString('hex');

export async function* chunksOf(bytes: Buffer, size = 300_001): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** An error and all of its causes. */
export function causesOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

export const codesOf = (error: unknown): (string | undefined)[] =>
  causesOf(error).map((cause) => (cause as NodeJS.ErrnoException).code);
