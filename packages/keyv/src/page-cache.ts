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

interface Kept {
  readonly page: Page;
  readonly memory: number;
  /** Whether somebody asked for it since the hand last came by. */
  used: boolean;
}

/**
 * Pages never change, so those in memory are always right. When they take too much of it, a hand
 * goes round them (the clock algorithm) and drops those that nobody used since its last round: a
 * page that is found costs a look-up and nothing more.
 */
export class PageCache {
  readonly #store: PageStore;
  readonly #limit: number;
  readonly #kept = new Map<string, Kept>();
  readonly #loading = new Map<string, Promise<Page>>();
  #hand = this.#kept.entries();
  #memory = 0;

  constructor(store: PageStore, limit: number) {
    this.#store = store;
    this.#limit = limit;
  }

  /** At once when the page is in memory, so that a walk over cached pages never waits. */
  load(id: string): Page | Promise<Page> {
    const kept = this.#kept.get(id);
    if (!kept) return this.#loading.get(id) ?? this.#fetch(id);
    kept.used = true;
    return kept.page;
  }

  keep(id: string, page: Page): void {
    this.forget(id);
    const memory = memoryOf(page);
    this.#kept.set(id, { page, memory, used: false });
    this.#memory += memory;
    this.#makeRoom();
  }

  forget(id: string): void {
    this.#memory -= this.#kept.get(id)?.memory ?? 0;
    this.#kept.delete(id);
  }

  #makeRoom(): void {
    while (this.#memory > this.#limit) {
      const { value, done } = this.#hand.next();
      if (done) this.#hand = this.#kept.entries();
      else if (value[1].used) value[1].used = false;
      else this.forget(value[0]);
    }
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
