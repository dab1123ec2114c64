import type { Random } from './random.js';

/** A write or a truncation that is not durable yet. */
export type Change = { readonly at: number; readonly bytes: Buffer } | { readonly size: number };

/** A file. It is immutable, and a write replaces it, so that snapshots are cheap. */
export interface Inode {
  /** The data that this machine reads. */
  readonly data: Buffer;
  /** The data after a power cut if none of `changes` has reached the disk. */
  readonly durable: Buffer;
  readonly changes: readonly Change[];
  /**
   * Whether a sync has failed: `durable` then lacks bytes of `data`, and no later sync adds them.
   */
  readonly lossy: boolean;
}

/** The data after one more change. */
export function applied(data: Buffer, change: Change): Buffer {
  if ('size' in change) return Buffer.concat([data], change.size);
  const { at, bytes } = change;
  if (at === data.length) return Buffer.concat([data, bytes]);
  const grown = Buffer.concat([data], Math.max(data.length, at + bytes.length));
  bytes.copy(grown, at);
  return grown;
}

type Way = (inode: Inode, random: Random) => Buffer;

/** How unsynced data may look after a power cut. */
const WAYS: readonly Way[] = [
  /** Nothing was written: a new file is empty. */
  ({ durable }) => durable,
  /** Everything was written. */
  ({ durable, changes }) => changes.reduce(applied, durable),
  /** The first changes were written, and perhaps a part of the next one. */
  ({ durable, changes }, random) => {
    const whole = changes.slice(0, random.below(changes.length + 1));
    const torn = changes[whole.length];
    const data = whole.reduce(applied, durable);
    if (torn === undefined || 'size' in torn) return data;
    return applied(data, {
      at: torn.at,
      bytes: torn.bytes.subarray(0, random.below(torn.bytes.length)),
    });
  },
  /** The size was written, but only the first bytes. Zeros follow them. */
  ({ durable, changes }, random) => {
    const data = Buffer.from(changes.reduce(applied, durable));
    const from = random.below(data.length + 1);
    return data.fill(0, Math.max(from, Math.min(durable.length, data.length)));
  },
  /** Any of the writes, in any order. */
  ({ durable, changes }, random) =>
    changes.filter(() => random.chance(0.5)).reduce(applied, durable),
];

/** A possible result of a power cut for unsynced data. */
export const torn = (inode: Inode, random: Random): Buffer => random.pick(WAYS)(inode, random);
