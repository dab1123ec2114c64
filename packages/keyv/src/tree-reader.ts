import { decodeValue, type Entry } from '@bucketware/core/contracts';
import { type ByteString, decodeKey } from './keys.js';
import {
  type Branch,
  type Child,
  type Item,
  isInline,
  itemAt,
  type Leaf,
  type Page,
  type Piece,
} from './page.js';
import type { PageCache } from './page-cache.js';
import { idsOf } from './page-ids.js';
import type { Tree } from './root.js';
import { damage } from './seal.js';

/** How many leaves are fetched at once at most, ahead of the one being read. */
const MAX_AHEAD = 64;

/** How many are fetched at first, while the number of items in a leaf is unknown. */
const FIRST_AHEAD = 4;

export async function findItem(
  pages: PageCache,
  tree: Tree | undefined,
  key: ByteString,
): Promise<Item | undefined> {
  if (!tree) return undefined;
  let { id } = tree;
  for (let height = tree.height; height > 1; height--) {
    const page = pages.load(id);
    const { children } = asBranch(id, page instanceof Promise ? await page : page);
    id = (children[childIndex(children, key)] as Child).id;
  }
  const page = pages.load(id);
  const leaf = asLeaf(id, page instanceof Promise ? await page : page);
  const index = keyIndex(leaf.keys, key);
  return leaf.keys[index] === key ? itemAt(leaf, index) : undefined;
}

interface Listing {
  readonly start: ByteString;
  readonly end: ByteString;
  readonly limit: number;
  /**
   * Returns where to continue after a key, to skip the other keys of its group. `undefined`: at the
   * next key.
   */
  readonly afterGroup?: ((key: ByteString) => ByteString | undefined) | undefined;
}

/**
 * Resolves to at most `limit` items from `start` up to, but not including, `end`. Of each group,
 * only the first item.
 */
export async function listItems(
  pages: PageCache,
  tree: Tree | undefined,
  { start, end, limit, afterGroup }: Listing,
): Promise<Item[]> {
  const found: Item[] = [];
  if (!tree) return found;
  let read = 0;
  const ahead = (): number => {
    const first = Math.min(limit, FIRST_AHEAD);
    const more = Math.ceil(((limit - found.length) * read) / found.length);
    return Math.max(1, Math.min(found.length === 0 ? first : more, MAX_AHEAD));
  };
  const { id, height } = tree;
  const top = { id, page: await pages.load(id), height, low: '', high: '\xff' };
  let from = start;
  for (let goesOn = true; goesOn; ) {
    goesOn = false;
    let isFirst = true;
    for await (const leaf of leaves(pages, top, { start: from, end, ahead })) {
      read++;
      let at = keyIndex(leaf.keys, from);
      // If the group extends beyond the previous leaf, its end is looked up from the top of the
      // tree.
      goesOn = !isFirst && at === leaf.keys.length;
      isFirst = false;
      if (goesOn) break;
      while (at < leaf.keys.length) {
        const key = leaf.keys[at] as ByteString;
        if (key >= end || found.length === limit) return found;
        found.push(itemAt(leaf, at));
        const next = afterGroup?.(key);
        if (next !== undefined) from = next;
        at = next === undefined ? at + 1 : keyIndex(leaf.keys, next);
      }
      if (found.length === limit) return found;
    }
  }
  return found;
}

/** A page with its range: all its keys are from `low` up to, but not including, `high`. */
interface Placed {
  readonly id: string;
  readonly page: Page;
  readonly height: number;
  readonly low: ByteString;
  readonly high: ByteString;
}

/** The leaves between two keys, in order. `ahead`: how many are fetched at once. */
async function* leaves(
  pages: PageCache,
  { id, page, height, low, high }: Placed,
  range: { start: ByteString; end: ByteString; ahead: () => number },
): AsyncGenerator<Leaf> {
  if (height === 1) {
    yield asLeaf(id, page);
    return;
  }
  const { start, end, ahead } = range;
  const { children } = asBranch(id, page);
  // Detects a damaged page that refers to itself or to a page above it.
  const [first, last] = [children[0] as Child, children.at(-1) as Child];
  if (first.low < low || last.low >= high) throw damage(id, 'it is not where it belongs');
  for (let at = childIndex(children, start); at < children.length; ) {
    const next = children.slice(at, at + (height === 2 ? ahead() : 1));
    const inRange = next.filter(({ low }) => low < end);
    const below = await Promise.all(inRange.map(({ id }) => pages.load(id)));
    for (const [index, child] of below.entries()) {
      const { id, low } = inRange[index] as Child;
      const next = children[at + index + 1]?.low ?? high;
      yield* leaves(pages, { id, page: child, height: height - 1, low, high: next }, range);
    }
    if (inRange.length < next.length) return;
    at += next.length;
  }
}

function asBranch(id: string, page: Page): Branch {
  if ('children' in page && page.children.length > 0) return page;
  throw damage(id, 'it is not a branch');
}

function asLeaf(id: string, page: Page): Leaf {
  if ('keys' in page) return page;
  throw damage(id, 'it is not a leaf');
}

export async function toEntry(pages: PageCache, item: Item): Promise<Entry> {
  const { key, version, value } = item;
  const bytes = isInline(value) ? value : await largeValue(pages, idsOf(value));
  return { key: decodeKey(key), value: decodeValue(bytes), version: String(version) };
}

export async function largeValue(pages: PageCache, ids: readonly string[]): Promise<Buffer> {
  const pieces = await Promise.all(ids.map((id) => pages.load(id)));
  return Buffer.concat(pieces.map((page) => (page as Piece).piece));
}

/** The child with the range that contains `key`: the last one that does not begin after it. */
export function childIndex(children: readonly Child[], key: ByteString): number {
  let low = 1;
  let high = children.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((children[middle] as Child).low <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The index of the first key that is not before `key`. */
function keyIndex(keys: readonly ByteString[], key: ByteString): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as ByteString) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
