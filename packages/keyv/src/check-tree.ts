import {
  type Child,
  childBytes,
  type Item,
  isInline,
  itemBytes,
  itemsOf,
  type Page,
  unsealPage,
} from './page.js';
import { idsOf, type Pages, unpackPages } from './page-ids.js';
import type { PageStore } from './page-store.js';
import type { Root } from './root.js';
import { unpack } from './values.js';

/** The result of `check()`, which reads all pages of a tree. */
export interface TreeReport {
  /** The number of records. */
  readonly entries: number;
  /** The ids of all pages of the tree. */
  readonly used: ReadonlySet<string>;
  /** The ids of stored pages that are no longer used and will be removed. */
  readonly waiting: ReadonlySet<string>;
  /** A sentence for each problem. Empty when the tree is intact. */
  readonly problems: readonly string[];
}

/** Checks every page as it is stored, bypassing the cache. */
export async function checkTree(store: PageStore, root: Root): Promise<TreeReport> {
  const check = new Check(store, root.sequence);
  if (root.tree) await check.page(root.tree.id, root.tree.height, '', '\xff');
  const waiting = new Set((await check.waiting(root)).flatMap(idsOf));
  for (const id of check.used) {
    if (waiting.has(id)) check.problems.push(`Page ${id} is used but waits to be removed.`);
  }
  for (const id of root.more ? idsOf(root.more) : []) waiting.add(id);
  return { entries: check.entries, used: check.used, waiting, problems: check.problems };
}

class Check {
  readonly used = new Set<string>();
  readonly problems: string[] = [];
  entries = 0;
  readonly #store: PageStore;
  readonly #sequence: number;

  constructor(store: PageStore, sequence: number) {
    this.#store = store;
    this.#sequence = sequence;
  }

  async page(id: string, height: number, low: string, high: string): Promise<void> {
    const page = await this.#load(id);
    if (!page) return;
    if (height > 1 && 'children' in page) await this.#branch(id, page.children, height, low, high);
    else if (height === 1 && 'keys' in page) await this.#leaf(id, itemsOf(page), low, high);
    else this.problems.push(`Page ${id} is of the wrong kind.`);
  }

  async waiting({ dropped, more }: Root): Promise<readonly Pages[]> {
    if (!more) return dropped;
    const pieces = await Promise.all(idsOf(more).map((id) => this.#store.readPage(id)));
    const texts = pieces.map((text, index) => unsealPage(idsOf(more)[index] as string, text));
    const bytes = Buffer.concat(texts.map((page) => ('piece' in page ? page.piece : Buffer.of())));
    return unpackPages(unpack(bytes) as (string | number)[]);
  }

  async #branch(id: string, children: readonly Child[], height: number, low: string, high: string) {
    if (children.length === 0) this.problems.push(`Branch ${id} is empty.`);
    for (const [index, child] of children.entries()) {
      const next = children[index + 1]?.low ?? high;
      const from = child.low;
      const begins = index === 0 ? from >= low : from > low;
      if (from >= next || !begins) this.problems.push(`Branch ${id} is out of order.`);
      await this.page(child.id, height - 1, from, next);
    }
    this.#checkSize(
      id,
      children.reduce((sum, child) => sum + childBytes(child), 0),
    );
  }

  async #leaf(id: string, items: readonly Item[], low: string, high: string): Promise<void> {
    if (items.length === 0) this.problems.push(`Leaf ${id} is empty.`);
    let last = '';
    for (const { key, version, value } of items) {
      if (key <= last || key < low || key >= high) {
        this.problems.push(`Leaf ${id} is out of order.`);
      }
      if (version > this.#sequence) this.problems.push(`Leaf ${id} has a version from the future.`);
      if (!isInline(value)) await Promise.all(idsOf(value).map((piece) => this.#load(piece)));
      last = key;
    }
    this.entries += items.length;
    this.#checkSize(
      id,
      items.reduce((sum, item) => sum + itemBytes(item), 0),
    );
  }

  #checkSize(id: string, bytes: number): void {
    if (bytes > 2 ** 20) this.problems.push(`Page ${id} is too large.`);
  }

  async #load(id: string): Promise<Page | undefined> {
    if (this.used.has(id)) {
      this.problems.push(`Page ${id} is used twice.`);
      return undefined;
    }
    this.used.add(id);
    const text = await this.#store.readPage(id);
    if (text === undefined) {
      this.problems.push(`Page ${id} is missing.`);
      return undefined;
    }
    try {
      return unsealPage(id, text);
    } catch (error) {
      this.problems.push((error as Error).message);
      return undefined;
    }
  }
}
