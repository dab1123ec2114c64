import { memoryOf, type Page, unsealPage } from './page.js';
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

/** A page that was just written stays text until somebody reads it: most are soon replaced. */
interface Kept {
  page: Page | undefined;
  text: string | undefined;
  memory: number;
}

/** Pages never change, so those in memory are always right. Those used least recently go first. */
export class PageCache {
  readonly #store: PageStore;
  readonly #limit: number;
  readonly #kept = new Map<string, Kept>();
  readonly #loading = new Map<string, Promise<Page>>();
  #memory = 0;

  constructor(store: PageStore, limit: number) {
    this.#store = store;
    this.#limit = limit;
  }

  /** At once when the page is in memory, so that a walk over cached pages never waits. */
  load(id: string): Page | Promise<Page> {
    const kept = this.#kept.get(id);
    if (!kept) return this.#loading.get(id) ?? this.#fetch(id);
    this.#kept.delete(id);
    this.#kept.set(id, kept);
    return kept.page ?? this.#unseal(id, kept);
  }

  keep(id: string, text: string): void {
    this.forget(id);
    this.#kept.set(id, { page: undefined, text, memory: text.length });
    this.#grow(text.length);
  }

  forget(id: string): void {
    this.#memory -= this.#kept.get(id)?.memory ?? 0;
    this.#kept.delete(id);
  }

  #unseal(id: string, kept: Kept): Page {
    const { text = '', memory } = kept;
    const page = unsealPage(id, text);
    Object.assign(kept, { page, text: undefined, memory: memoryOf(page, memory) });
    this.#grow(kept.memory - memory);
    return page;
  }

  #grow(bytes: number): void {
    this.#memory += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#memory <= this.#limit) break;
      this.forget(oldest);
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
    const memory = memoryOf(page, (text as string).length);
    this.forget(id);
    this.#kept.set(id, { page, text: undefined, memory });
    this.#grow(memory);
    return page;
  }
}
