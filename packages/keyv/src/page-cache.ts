import { LRUCache } from 'lru-cache';
import { type Page, unsealPage } from './page.js';
import { memoryOf } from './page-memory.js';
import type { PageStore } from './page-store.js';

/** A page is missing because its tree is out of date, or because the store is damaged. */
export class MissingPageError extends Error {
  override readonly name = 'MissingPageError';
  constructor(id: string) {
    super(
      `The stored page ${id} is missing: something outside this store removed it. ` +
        'Restore the Keyv store from a backup.',
    );
  }
}

/**
 * A cache of pages with a limited size in bytes. It needs no expiry, because pages never change.
 */
export class PageCache {
  readonly #store: PageStore;
  readonly #kept: LRUCache<string, Page>;
  readonly #loading = new Map<string, Promise<Page>>();

  constructor(store: PageStore, limit: number) {
    this.#store = store;
    // LRUCache does not accept 0. No page fits into one byte, so nothing is cached.
    this.#kept = new LRUCache({ maxSize: Math.max(1, limit), sizeCalculation: memoryOf });
  }

  /** Returns a cached page synchronously, so that a walk over cached pages never waits. */
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
