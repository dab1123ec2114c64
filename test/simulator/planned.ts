import { type ObjectStorage, type Principal, StorageError } from '@bucketware/core';
import type { Place } from './names.js';
import type { Random } from './random.js';
import type { Who } from './within.js';
import type { Contents, Moves } from './world.js';

/** An operation that is about to be called: what it may do, and how it is done. */
export interface Planned {
  readonly name: string;
  readonly moves: Moves;
  /** Default: the host. */
  readonly who?: Who;
  /** The bucket that it finds first of all. */
  readonly bucket?: string;
  /** Resolves to the answer, in the words of {@link moves}. */
  call(storage: ObjectStorage, send: Send): Promise<string>;
}

/** Bytes as a stream, each chunk when its turn comes. */
export type Send = (bytes: Buffer) => AsyncIterable<Uint8Array>;

/** An upload that some client was told the id of, and the parts that were answered. */
export interface KnownUpload {
  readonly name: string;
  readonly id: string;
  readonly place: Place;
  /** ETags by the numbers of parts. */
  readonly parts: Map<number, string>;
}

/** What all clients of a run share. */
export interface Shared {
  readonly random: Random;
  readonly contents: Contents;
  readonly uploads: KnownUpload[];
  /** The last size of each appendable object that a client was told. */
  readonly sizes: Map<string, number>;
  /** Parts of 100 KB and more, so that several make one object. */
  readonly large: boolean;
  /** Appends go on for long, so that objects of many segments are copied and removed. */
  readonly grows: boolean;
  now(): number;
  wait(milliseconds: number): void;
  /** Whether results of uploads are still kept. */
  remembers(): boolean;
  /** A client that takes its time, for so many steps of others at most. */
  dawdle(steps: number): Promise<void>;
  newName(): string;
}

export const INLINE_LIMIT = 24;
/** About half of all appends are larger. */
export const APPEND_MEMORY = 20;
/** A list that is too long for the record of its object. */
export const LONG_LIST = Array.from({ length: 40 }, (_, at) => ({ id: `reader-${at}`.repeat(4) }));
/** Two make a manifest. */
export const SEGMENTS_IN_RECORD = 1;
/** Appends of another opening soon make neighbours that are joined. */
export const MAX_SEGMENTS = 6;
export const BUCKETS = ['one', 'two'] as const;
export const KEYS = ['a', 'b', 't/x', 'a', 'b', 'log'] as const;
/** In the bucket that is deleted again and again: few, so that it is empty now and then. */
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

/** Runs an operation; an error of the interface is an answer as well. */
export async function answered(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return 'ok';
  } catch (error) {
    if (error instanceof StorageError && error.code !== 'InternalError') return error.code;
    throw error;
  }
}

/** Bytes of a few letters that were never there before. */
export function fresh(shared: Shared, largest = 90): Buffer {
  const size = shared.random.chance(0.1) ? 0 : shared.random.below(largest);
  return Buffer.from(`${shared.newName()}|`.repeat(size).slice(0, size));
}

/** Enough for a part that is not the last one. The same bytes but for their head. */
export function bulk(shared: Shared): Buffer {
  const bytes = Buffer.alloc(100 * 1024 + shared.random.below(2), '.');
  bytes.write(shared.newName());
  return bytes;
}
