export interface PageSizes {
  /** The usual size of a page, in bytes. */
  readonly usual: number;
  /** The maximum size of a page, in bytes. */
  readonly room: number;
}

/** Entries that go into one page. */
export interface Share<T> {
  readonly entries: readonly T[];
  readonly bytes: number;
  /** The last entry of the previous page. */
  readonly before: T | undefined;
}

/**
 * Splits entries into as few pages as possible, filled evenly. If keys arrive in order
 * (`appended`), all but the last page are filled completely, because nothing will be added to them.
 */
export function split<T>(
  entries: readonly T[],
  bytesOf: (entry: T) => number,
  { usual, room, appended }: PageSizes & { appended: boolean },
): Share<T>[] {
  const sizes = entries.map(bytesOf);
  const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
  if (total <= usual && total > 0) return [{ entries, bytes: total, before: undefined }];
  const enough = appended ? usual * 0.9 : total / Math.ceil(total / usual);
  const shares: (Share<T> & { entries: T[]; bytes: number })[] = [];
  let share: (typeof shares)[number] | undefined;
  for (const [index, entry] of entries.entries()) {
    const bytes = sizes[index] as number;
    if (share && share.bytes < enough && share.bytes + bytes <= room) {
      share.entries.push(entry);
      share.bytes += bytes;
    } else {
      share = { entries: [entry], bytes, before: entries[index - 1] };
      shares.push(share);
    }
  }
  return shares;
}
