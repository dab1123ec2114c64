import type { Random } from './random.js';

/** A write or a cut that is not durable yet. */
export type Change = { readonly at: number; readonly bytes: Buffer } | { readonly size: number };

/** A file. Never changed: a write puts another in its place, so a snapshot costs nothing. */
export interface Inode {
  /** What this machine reads. */
  readonly data: Buffer;
  /** What a power cut leaves, when none of `changes` reached the disk. */
  readonly durable: Buffer;
  readonly changes: readonly Change[];
  /** A sync failed: `durable` lacks bytes that `data` has, and no later sync brings them. */
  readonly lossy: boolean;
}

/** The data with one more change. */
export function applied(data: Buffer, change: Change): Buffer {
  if ('size' in change) return Buffer.concat([data], change.size);
  const { at, bytes } = change;
  if (at === data.length) return Buffer.concat([data, bytes]);
  const grown = Buffer.concat([data], Math.max(data.length, at + bytes.length));
  bytes.copy(grown, at);
  return grown;
}

type Way = (inode: Inode, random: Random) => Buffer;

/** The state of un-synced data after a power cut. */
const WAYS: readonly Way[] = [
  /** Old: for a new file, empty. */
  ({ durable }) => durable,
  /** Full. */
  ({ durable, changes }) => changes.reduce(applied, durable),
  /** A prefix of what was done, perhaps cut off within a write. */
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
  /** The size came through, of the bytes only a prefix: zeros lie behind it. */
  ({ durable, changes }, random) => {
    const data = Buffer.from(changes.reduce(applied, durable));
    const from = random.below(data.length + 1);
    return data.fill(0, Math.max(from, Math.min(durable.length, data.length)));
  },
  /** Each write for itself, in whatever order. */
  ({ durable, changes }, random) =>
    changes.filter(() => random.chance(0.5)).reduce(applied, durable),
];

/** What a power cut may make of un-synced data. */
export const torn = (inode: Inode, random: Random): Buffer => random.pick(WAYS)(inode, random);
