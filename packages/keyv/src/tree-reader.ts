import type { Entry } from '@bucketware/core';
import { type ByteString, decodeKey } from './keys.js';
import { type Branch, type Child, type Item, isInline, type Leaf, type Piece } from './page.js';
import type { PageCache } from './page-cache.js';
import { idsOf } from './page-ids.js';
import type { Tree } from './root.js';
import { decodeValue } from './values.js';

/** As many leaves at most are fetched at once, ahead of the one that is read. */
const MAX_AHEAD = 32;

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
  const { items } = (page instanceof Promise ? await page : page) as Leaf;
  const item = items[itemIndex(items, key)];
  return item?.key === key ? item : undefined;
}

/** Up to `limit` items from `start` on and before `end`. */
export async function listItems(
  pages: PageCache,
  tree: Tree | undefined,
  { start, end, limit }: { start: ByteString; end: ByteString; limit: number },
): Promise<Item[]> {
  const found: Item[] = [];
  if (!tree) return found;
  for await (const { items } of leaves(pages, tree, start, end)) {
    for (let at = itemIndex(items, start); at < items.length; at++) {
      const item = items[at] as Item;
      if (item.key >= end || found.length === limit) return found;
      found.push(item);
    }
    if (found.length === limit) break;
  }
  return found;
}

/** The leaves between two keys, in order; more and more of them are fetched ahead. */
async function* leaves(
  pages: PageCache,
  { id, height }: Tree,
  start: ByteString,
  end: ByteString,
): AsyncGenerator<Leaf> {
  const page = await pages.load(id);
  if (height === 1) {
    yield page as Leaf;
    return;
  }
  const { children } = page as Branch;
  let ahead = 1;
  for (let at = childIndex(children, start); at < children.length; ) {
    const next = children
      .slice(at, at + ahead)
      .filter(({ low }, index) => index === 0 || low < end);
    await Promise.all(next.map((child) => pages.load(child.id)));
    for (const child of next)
      yield* leaves(pages, { id: child.id, height: height - 1 }, start, end);
    at += ahead;
    if (height === 2) ahead = Math.min(ahead * 2, MAX_AHEAD);
    if ((children[at]?.low ?? '') >= end) return;
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

/** The first item that is not before `key`. */
function itemIndex(items: readonly Item[], key: ByteString): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle] as Item).key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
