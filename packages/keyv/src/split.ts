export interface PageSizes {
  /** How many bytes a page holds usually. */
  readonly usual: number;
  /** How many bytes a page takes. */
  readonly room: number;
}

/** Entries that go into one page. */
export interface Share<T> {
  readonly entries: readonly T[];
  readonly bytes: number;
  /** The last entry of the page before. */
  readonly before: T | undefined;
}

/**
 * As few pages as will do, filled alike. Where keys come in order (`appended`), all but the last
 * are filled up instead: nothing will be added to them.
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
