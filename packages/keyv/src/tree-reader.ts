import type { Entry } from '@bucketware/core';
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
import { decodeValue } from './values.js';

/** As many leaves at most are fetched at once, ahead of the one that is read. */
const MAX_AHEAD = 64;

/** As many are fetched at first, when it is unknown how many items a leaf holds. */
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
    const { children } = (page instanceof Promise ? await page : page) as Branch;
    id = (children[childIndex(children, key)] as Child).id;
  }
  const page = pages.load(id);
  const leaf = (page instanceof Promise ? await page : page) as Leaf;
  const index = keyIndex(leaf.keys, key);
  return leaf.keys[index] === key ? itemAt(leaf, index) : undefined;
}

/** Up to `limit` items from `start` on and before `end`. */
export async function listItems(
  pages: PageCache,
  tree: Tree | undefined,
  { start, end, limit }: { start: ByteString; end: ByteString; limit: number },
): Promise<Item[]> {
  const found: Item[] = [];
  if (!tree) return found;
  let read = 0;
  const ahead = (): number => {
    const first = Math.min(limit, FIRST_AHEAD);
    const more = Math.ceil(((limit - found.length) * read) / found.length);
    return Math.max(1, Math.min(found.length === 0 ? first : more, MAX_AHEAD));
  };
  const top = await pages.load(tree.id);
  for await (const leaf of leaves(pages, top, tree.height, { start, end, ahead })) {
    read++;
    for (let at = keyIndex(leaf.keys, start); at < leaf.keys.length; at++) {
      if ((leaf.keys[at] as ByteString) >= end || found.length === limit) return found;
      found.push(itemAt(leaf, at));
    }
    if (found.length === limit) break;
  }
  return found;
}

/** The leaves between two keys, in order; `ahead` of them are fetched at once. */
async function* leaves(
  pages: PageCache,
  page: Page,
  height: number,
  range: { start: ByteString; end: ByteString; ahead: () => number },
): AsyncGenerator<Leaf> {
  if (height === 1) {
    yield page as Leaf;
    return;
  }
  const { start, end, ahead } = range;
  const { children } = page as Branch;
  for (let at = childIndex(children, start); at < children.length; ) {
    const next = children.slice(at, at + (height === 2 ? ahead() : 1));
    const inRange = next.filter(({ low }) => low < end);
    const below = await Promise.all(inRange.map(({ id }) => pages.load(id)));
    for (const child of below) yield* leaves(pages, child, height - 1, range);
    if (inRange.length < next.length) return;
    at += next.length;
  }
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

/** The child whose keys `key` belongs to: the last one that does not begin behind it. */
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

/** The first key that is not before `key`. */
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
