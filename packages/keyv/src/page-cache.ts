import { LRUCache } from 'lru-cache';
import { type Page, unsealPage } from './page.js';
import { memoryOf } from './page-memory.js';
import type { PageStore } from './page-store.js';

/** The page is not stored: its tree is out of date, or the store is damaged. */
export class MissingPageError extends Error {
  override readonly name = 'MissingPageError';
  constructor(id: string) {
    super(
      `The stored page ${id} is missing: something outside of this store removed it. ` +
        'Restore the Keyv store from a backup.',
    );
  }
}

/** Pages in memory, up to a number of bytes. Pages never change, so those in memory are always right. */
export class PageCache {
  readonly #store: PageStore;
  readonly #kept: LRUCache<string, Page>;
  readonly #loading = new Map<string, Promise<Page>>();

  constructor(store: PageStore, limit: number) {
    this.#store = store;
    // Every page takes more than a byte, so a limit of 0 keeps none.
    this.#kept = new LRUCache({ maxSize: Math.max(1, limit), sizeCalculation: memoryOf });
  }

  /** Synchronous when the page is in memory, so that a walk over cached pages never waits. */
  load(id: string): Page | Promise<Page> {
    return this.#kept.get(id) ?? this.#loading.get(id) ?? this.#fetch(id);
  }

  keep(id: string, page: Page): void {
    this.#kept.set(id, page);
  }

  forget(id: string): void {
    this.#kept.delete(id);
  }

  #fetch(id: string): Promise<Page> {
    const loading = this.#read(id).finally(() => this.#loading.delete(id));
    this.#loading.set(id, loading);
    return loading;
  }

  async #read(id: string): Promise<Page> {
    const text = await this.#store.readPage(id);
    if (text === undefined) throw new MissingPageError(id);
    const page = unsealPage(id, text);
    this.keep(id, page);
    return page;
  }
}
