import { type Edit, editsByChild } from './edits.js';
import { type ByteString, separator } from './keys.js';
import {
  type Branch,
  type Child,
  childBytes,
  type Item,
  isInline,
  itemBytes,
  itemsOf,
  type Leaf,
  leafOf,
  type Page,
  sealPage,
} from './page.js';
import type { PageCache } from './page-cache.js';
import { joinPages, type Pages, pageId, pagesOf } from './page-ids.js';
import type { Tree } from './root.js';
import { type PageSizes, split } from './split.js';

/** A page that is not stored yet, because more edits may change it. */
interface Draft {
  readonly low: ByteString;
  readonly page: Leaf | Branch;
  readonly bytes: number;
}

/** A page with its stored form. */
interface Written {
  readonly page: Page;
  readonly text: string;
}

type Part = Child | Draft;

const isDraft = (part: Part): part is Draft => 'page' in part;

/**
 * If the first child of a branch is removed, the next one takes over its range, so its `low` must
 * be lowered: otherwise keys could not be found once another child is inserted before it.
 */
function beginningAt<T extends Part>(low: ByteString, parts: readonly T[]): readonly T[] {
  const [first, ...others] = parts;
  return first === undefined || first.low === low ? parts : [{ ...first, low }, ...others];
}

/** Creates a new tree from an old one. Changed pages are written again with new ids. */
export class TreeWriter {
  readonly pages = new Map<string, Written>();
  readonly #dropped: Pages[] = [];
  readonly #cache: PageCache;
  readonly #token: string;
  readonly #sizes: PageSizes;
  #next: number;

  /** `room`: the maximum size of a page, in bytes. `next`: the first free page number. */
  constructor(
    cache: PageCache,
    { token, next, room }: { token: string; next: number; room: number },
  ) {
    this.#cache = cache;
    this.#token = token;
    this.#next = next;
    // Smaller pages are cheaper to rewrite, and leave room for large entries.
    this.#sizes = { usual: room / 2.5, room };
  }

  get next(): number {
    return this.#next;
  }

  /** The pages that the new tree no longer uses. */
  get dropped(): Pages[] {
    return joinPages(this.#dropped);
  }

  /** Writes a value that is too large for a leaf to separate pages. */
  writeLarge(bytes: Uint8Array): Pages {
    const first = this.#next;
    const { room } = this.#sizes;
    for (let at = 0; at < bytes.length; at += room) {
      this.#write({ piece: Uint8Array.from(bytes.subarray(at, at + room)) });
    }
    return { token: this.#token, first, count: this.#next - first };
  }

  drop(pages: Pages): void {
    this.#dropped.push(pages);
  }

  /** `edits` must be sorted by key, with each key once. */
  async apply(tree: Tree | undefined, edits: readonly Edit[]): Promise<Tree | undefined> {
    let height = tree?.height ?? 1;
    let parts: Part[] = tree
      ? await this.#rewrite({ low: '', id: tree.id }, height, edits)
      : this.#leaves(this.#merge([], edits).items, '', false);
    while (parts.length > 1) {
      parts = this.#branches(
        parts.map((part) => this.#store(part)),
        '',
      );
      height++;
    }
    let [top] = parts;
    // Replaces a top branch that has only one child by that child.
    for (; top && height > 1; height--) {
      const { children } = (isDraft(top) ? top.page : await this.#load(top.id)) as Branch;
      if (children.length > 1) break;
      if (!isDraft(top)) this.drop(pagesOf(top.id));
      top = children[0] as Child;
    }
    return top && { id: this.#store(top).id, height };
  }

  async #rewrite(child: Child, height: number, edits: readonly Edit[]): Promise<Part[]> {
    const page = await this.#cache.load(child.id);
    if (height === 1) {
      const before = itemsOf(page as Leaf);
      const { items, appended } = this.#merge(before, edits);
      if (items === before) return [child];
      this.drop(pagesOf(child.id));
      return this.#leaves(items, child.low, appended);
    }
    const children = beginningAt(child.low, (page as Branch).children);
    const rewritten = await Promise.all(
      Array.from(editsByChild(children, edits), async ([index, own]) => {
        const below = children[index] as Child;
        return { index, below, parts: await this.#rewrite(below, height - 1, own) };
      }),
    );
    if (rewritten.every(({ below, parts: [only, more] }) => only === below && !more)) {
      return [child];
    }
    this.drop(pagesOf(child.id));
    const parts: Part[] = [];
    let next = 0;
    for (const { index, parts: own } of rewritten) {
      parts.push(...children.slice(next, index), ...own);
      next = index + 1;
    }
    parts.push(...children.slice(next));
    const joined = await this.#joinSmall(beginningAt(child.low, parts), height - 1);
    return this.#branches(
      joined.map((part) => this.#store(part)),
      child.low,
    );
  }

  /** Applies the edits to the items. Returns the same array if nothing changed. */
  #merge(
    items: readonly Item[],
    edits: readonly Edit[],
  ): { items: readonly Item[]; appended: boolean } {
    const merged: Item[] = [];
    let changed = false;
    let at = 0;
    for (const { key, item } of edits) {
      while (at < items.length && (items[at] as Item).key < key) merged.push(items[at++] as Item);
      const old = items[at]?.key === key ? items[at++] : undefined;
      if (old && !isInline(old.value)) this.drop(old.value);
      if (item) merged.push(item);
      changed ||= old !== undefined || item !== undefined;
    }
    const appended = at === items.length && items.length > 0;
    for (; at < items.length; at++) merged.push(items[at] as Item);
    return { items: changed ? merged : items, appended };
  }

  #leaves(items: readonly Item[], low: ByteString, appended: boolean): Draft[] {
    return split(items, itemBytes, { ...this.#sizes, appended }).map(
      ({ entries, bytes, before }) => ({
        low: before ? separator(before.key, (entries[0] as Item).key) : low,
        page: leafOf(entries),
        bytes,
      }),
    );
  }

  #branches(children: readonly Child[], low: ByteString): Draft[] {
    return split(children, childBytes, { ...this.#sizes, appended: false }).map(
      ({ entries, bytes, before }) => ({
        low: before ? (entries[0] as Child).low : low,
        page: { children: entries },
        bytes,
      }),
    );
  }

  /**
   * Joins each page that has lost most of its entries with its neighbour, to keep the tree compact.
   */
  async #joinSmall(parts: readonly Part[], height: number): Promise<readonly Part[]> {
    if (!parts.some((part) => this.#isSmall(part))) return parts;
    const joined: Part[] = [];
    for (const part of parts) {
      const before = joined.at(-1);
      const both = before && (this.#isSmall(before) || this.#isSmall(part));
      const draft = both && (await this.#join(before, part, height));
      if (draft) joined[joined.length - 1] = draft;
      else joined.push(part);
    }
    return joined;
  }

  #isSmall(part: Part): boolean {
    return isDraft(part) && part.bytes < this.#sizes.usual / 4;
  }

  async #join(left: Part, right: Part, height: number): Promise<Draft | undefined> {
    const pages = await Promise.all(
      [left, right].map((part) => (isDraft(part) ? part.page : this.#cache.load(part.id))),
    );
    const drafts =
      height === 1
        ? this.#leaves(
            pages.flatMap((page) => itemsOf(page as Leaf)),
            left.low,
            false,
          )
        : this.#branches(
            pages.flatMap((page) => (page as Branch).children),
            left.low,
          );
    const [draft] = drafts;
    if (!draft || drafts.length > 1 || draft.bytes > this.#sizes.usual * 0.75) return undefined;
    for (const part of [left, right]) if (!isDraft(part)) this.drop(pagesOf(part.id));
    return draft;
  }

  #store(part: Part): Child {
    if (!isDraft(part)) return part;
    return { low: part.low, id: this.#write(part.page) };
  }

  /** A page that was just written is not in the store yet. */
  #load(id: string): Page | Promise<Page> {
    return this.pages.get(id)?.page ?? this.#cache.load(id);
  }

  #write(page: Page): string {
    const id = pageId(this.#token, this.#next++);
    this.pages.set(id, { page, text: sealPage(id, page) });
    return id;
  }
}
