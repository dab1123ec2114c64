import type { MetadataStore } from '../contracts/metadata-store.js';
import { MAX_PAGE_BYTES } from '../limits.js';
import { createYielder } from './concurrency/yielder.js';
import { after, afterPrefix } from './records/keys.js';
import type { Decoder, Stored } from './records/kind.js';

export interface ListingRequest<Value> {
  readonly kind: Decoder<Value>;
  /** The common prefix of all records of the listing, such as `o/<bucket>/`. */
  readonly base: string;
  readonly prefix: string;
  /** Empty for no delimiter. */
  readonly delimiter: string;
  /** The record key to start at. */
  readonly start: string | undefined;
  readonly max: number;
  /** The part of a record's name to which prefix and delimiter apply. Default: all of it. */
  readonly keyOf?: (name: string) => string;
  /** The other texts in a response for a listed record. Default: none. */
  readonly textsOf?: (value: Value) => readonly string[];
}

export type ListedItem<Value> =
  | { readonly entry: Stored<Value>; readonly name: string }
  | { readonly commonPrefix: string };

export interface ListingPage<Value> {
  /**
   * Sorted by name; a common prefix counts as one entry. If texts are long, there are fewer than
   * `max` items.
   */
  readonly items: readonly ListedItem<Value>[];
  readonly isTruncated: boolean;
  /** The last name or common prefix of the page: the marker of the next one. */
  readonly last: string | undefined;
}

/**
 * How many records are read at a time. With a delimiter, most of them may be below one common
 * prefix, and not every store skips those. So the number falls where few of the records that are
 * read are listed, and rises again where most are.
 */
const BATCH = { first: 16, least: 2, most: 256 };

/**
 * One page of a listing. Its cost depends only on the page: records below a common prefix are
 * skipped, not read, and only listed records are decoded.
 */
export async function listPage<Value>(
  metadata: MetadataStore,
  listing: ListingRequest<Value>,
): Promise<ListingPage<Value>> {
  const { kind, base, prefix, delimiter, max, keyOf = (name) => name } = listing;
  // Skip only if names are keys: in other parts of a name, the delimiter has no meaning.
  const isSkippable = delimiter !== '' && listing.keyOf === undefined;
  const range = { prefix: base + prefix, delimiter: isSkippable ? delimiter : undefined };
  const { textsOf = () => [] } = listing;
  let { start } = listing;
  const items: ListedItem<Value>[] = [];
  const yieldIfDue = createYielder();
  const page = async (isTruncated: boolean) => {
    await yieldIfDue(); // Writing the response is the next long step.
    return { items, isTruncated, last: nameOf(items) };
  };
  if (max === 0) return page(false);

  let limit = delimiter === '' ? Math.min(max + 1, BATCH.most) : BATCH.first;
  let room = MAX_PAGE_BYTES;
  for (;;) {
    await yieldIfDue();
    const entries = await metadata.list({ ...range, start, limit });
    const before = items.length;
    let below: string | undefined;
    for (const entry of entries) {
      const name = entry.key.slice(base.length);
      if (below !== undefined && name.startsWith(below)) continue;
      if (items.length === max) return page(true);
      const key = keyOf(name);
      const common = commonPrefix(key, prefix, delimiter);
      const item: ListedItem<Value> =
        common === undefined ? { entry: kind.decode(entry), name } : { commonPrefix: common };
      const texts = 'entry' in item ? [key, ...textsOf(item.entry.value)] : [item.commonPrefix];
      for (const text of texts) room -= writtenBytes(text);
      if (room < 0 && items.length > 0) return page(true);
      below = common;
      items.push(item);
    }
    const last = entries.at(-1);
    if (last === undefined || entries.length < limit) return page(false);
    start = below === undefined ? after(last.key) : afterPrefix(base + below);
    limit = nextBatch(limit, items.length - before);
  }
}

function nextBatch(limit: number, shown: number): number {
  if (shown > 1) return Math.min(limit * 2, BATCH.most);
  return Math.max(Math.min(Math.ceil(limit / 2), BATCH.first), BATCH.least);
}

/** Characters that JSON or XML must escape with up to six characters. */
const ESCAPED = /[\0-\x1f\x7f-\x9f"&'<>\\]/g;
const ESCAPED_BYTES = 6;

/** The approximate number of bytes that a text takes in a response. */
function writtenBytes(text: string): number {
  const escaped = text.length - text.replace(ESCAPED, '').length;
  return Buffer.byteLength(text) + escaped * (ESCAPED_BYTES - 1);
}

export interface Marker extends Pick<ListingRequest<unknown>, 'base' | 'prefix' | 'delimiter'> {
  readonly marker: string;
}

/**
 * Where a listing continues: after everything below a common prefix, otherwise after the marker
 * itself.
 */
export function afterMarker(
  { base, prefix, delimiter, marker }: Marker,
  behind: () => string | undefined = () => after(base + marker),
): string | undefined {
  if (marker === '') return undefined;
  const within = marker.startsWith(prefix) ? commonPrefix(marker, prefix, delimiter) : undefined;
  return within === marker ? afterPrefix(base + marker) : behind();
}

/** The name up to and including the first delimiter after the prefix. */
function commonPrefix(name: string, prefix: string, delimiter: string): string | undefined {
  if (delimiter === '') return undefined;
  const at = name.indexOf(delimiter, prefix.length);
  return at < 0 ? undefined : name.slice(0, at + delimiter.length);
}

function nameOf(items: readonly ListedItem<unknown>[]): string | undefined {
  const item = items.at(-1);
  if (item === undefined) return undefined;
  return 'entry' in item ? item.name : item.commonPrefix;
}
