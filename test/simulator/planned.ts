import { type ObjectStorage, type Principal, StorageError } from '@bucketware/core';
import type { Place } from './names.js';
import type { Random } from './random.js';
import type { Who } from './within.js';
import type { Contents, Moves } from './world.js';

/** An operation before its call: its possible effects, and how to call it. */
export interface Planned {
  readonly name: string;
  readonly moves: Moves;
  /** Default: the host. */
  readonly who?: Who;
  /** The bucket that the operation looks up first. */
  readonly bucket?: string;
  /** Resolves to the result, in the notation of {@link moves}. */
  call(storage: ObjectStorage, send: Send): Promise<string>;
}

/** Streams bytes. The scheduler decides when each chunk arrives. */
export type Send = (bytes: Buffer) => AsyncIterable<Uint8Array>;

/** An upload whose id a client knows, with the parts whose results it knows. */
export interface KnownUpload {
  readonly name: string;
  readonly id: string;
  readonly place: Place;
  /** ETags by part number. */
  readonly parts: Map<number, string>;
}

/** What all clients of a run share. */
export interface Shared {
  readonly random: Random;
  readonly contents: Contents;
  readonly uploads: KnownUpload[];
  /** The last size that a client got of each appendable object. */
  readonly sizes: Map<string, number>;
  /** Whether parts have 100 KB or more, so that an object can have several. */
  readonly large: boolean;
  /** Whether appends continue for long, so that objects of many segments are copied and removed. */
  readonly grows: boolean;
  now(): number;
  wait(milliseconds: number): void;
  /** Whether the results of completed uploads are still kept. */
  remembers(): boolean;
  /** Pauses a client for up to this many steps of others. */
  dawdle(steps: number): Promise<void>;
  newName(): string;
}

export const INLINE_LIMIT = 24;
/** About half of all appends are larger. */
export const APPEND_MEMORY = 20;
/** A list that is too long for the record of its object. */
export const LONG_LIST = Array.from({ length: 40 }, (_, at) => ({ id: `reader-${at}`.repeat(4) }));
/** Two segments need a manifest. */
export const SEGMENTS_IN_RECORD = 1;
/** Small enough that appends after a restart soon create segments that are joined. */
export const MAX_SEGMENTS = 6;
export const BUCKETS = ['one', 'two'] as const;
export const KEYS = ['a', 'b', 't/x', 'a', 'b', 'log'] as const;
/** The keys of the bucket that is deleted again and again: few, so that it is sometimes empty. */
export const FEW_KEYS = ['a', 'b'] as const;

/** The caller whose only permissions are {@link GRANTS}. */
export const GRANTEE: Principal = {
  tenantCode: 'other',
  tenantId: 't-other',
  userId: 'u-grantee',
  userName: 'grantee',
};
const { userId: id, tenantId } = GRANTEE;
export const GRANTS = [{ grantee: [{ id, tenantId }], permission: ['READ', 'WRITE'] }] as const;

/** Runs an operation. A storage error counts as a result. */
export async function answered(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return 'ok';
  } catch (error) {
    if (error instanceof StorageError && error.code !== 'InternalError') return error.code;
    throw error;
  }
}

/** New content of a few letters. */
export function fresh(shared: Shared, largest = 90): Buffer {
  const size = shared.random.chance(0.1) ? 0 : shared.random.below(largest);
  return Buffer.from(`${shared.newName()}|`.repeat(size).slice(0, size));
}

/** Enough for a part that is not the last one. Only the first bytes are new. */
export function bulk(shared: Shared): Buffer {
  const bytes = Buffer.alloc(100 * 1024 + shared.random.below(2), '.');
  bytes.write(shared.newName());
  return bytes;
}
