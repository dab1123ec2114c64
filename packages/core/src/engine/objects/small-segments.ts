import type { Segment } from '../records/content.js';

/*
 * Where blobs cannot grow, each append is a separate segment. Small segments at the end are joined
 * as in a log-structured merge tree: a few of one size become one of the next size. So each byte is
 * copied only a few times, and the number of small segments at the end stays low, however many
 * appends there are.
 */

/** A segment counts as small up to the last of these sizes, in bytes. */
const SIZES = [4 * 1024, 32 * 1024, 256 * 1024, 1024 * 1024] as const;

const LARGEST = SIZES[SIZES.length - 1] as number;

/**
 * The index from which the segments must be joined, if there are too many. For each size, there may
 * be an eighth of `inRecord`, and at least two.
 */
export function firstToJoin(segments: readonly Segment[], inRecord: number): number | undefined {
  const most = Math.max(2, Math.floor(inRecord / 8));
  let found: number | undefined;
  let first = segments.length;
  for (const [level, size] of SIZES.entries()) {
    first = firstUpTo(segments, first, size);
    if (segments.length - first >= most * (level + 1)) found = first;
  }
  return found;
}

/** The index from which all segments are small, so that later appends may join them. */
export const firstSmall = (segments: readonly Segment[]): number =>
  firstUpTo(segments, segments.length, LARGEST);

function firstUpTo(segments: readonly Segment[], end: number, size: number): number {
  let first = end;
  while (first > 0 && isUpTo(segments[first - 1] as Segment, size)) first--;
  return first;
}

/** A blob of several segments is not joined, because the manifest may name it as well. */
const isUpTo = ({ offset, length }: Segment, size: number): boolean =>
  offset === 0 && length <= size;
