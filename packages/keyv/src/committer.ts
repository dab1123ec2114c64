import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { CurrentRoot } from './current-root.js';
import { failureOfCommit } from './database-codes.js';
import type { Edit } from './edits.js';
import { isInline } from './page.js';
import { MissingPageError, type PageCache } from './page-cache.js';
import { idsOf, type Pages, packPages, unpackPages } from './page-ids.js';
import { type PageStore, type RootImage, StoreLostError, type Swap } from './page-store.js';
import { decide, type Request } from './requests.js';
import type { Root } from './root.js';
import { largeValue } from './tree-reader.js';
import { TreeWriter } from './tree-writer.js';
import type { Turns } from './turns.js';
import { pack, unpack } from './values.js';

/** How many runs of dropped pages stay stored, for reads that began before they were dropped. */
const WAITING = 256;

/** A longer list would make the root too large, so it is moved to separate pages. */
const MAX_WAITING_IN_ROOT = 512;

/** How many page numbers are reserved in addition to twice as many as the last commit used. */
const SPARE_PAGES = 64;

const MAX_GROUP_BYTES = 8 * 2 ** 20;

/** A commit fails if other writers have removed pages that it was reading this many times. */
const MAX_ATTEMPTS = 100;

export interface CommitterParts {
  readonly store: PageStore;
  readonly cache: PageCache;
  readonly current: CurrentRoot;
  readonly token: string;
  readonly room: number;
  /** If several processes may write. */
  readonly turns: Turns | undefined;
}

interface Waiting {
  readonly request: Request;
  readonly resolve: (version: string | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits one group of changes after another. Changes that arrive meanwhile form the next group.
 */
export class Committer {
  readonly #parts: CommitterParts;
  #queue: Waiting[] = [];
  #running: Promise<void> | undefined;
  #nextPage = 0;
  #sequence = 0;
  #holds = 0;
  /** Whether the root of a swap that failed may still arrive. */
  #mayBeLate = false;
  /** Pages that were written for a swap that failed or never took place. */
  #abandoned: Pages[] = [];

  constructor(parts: CommitterParts) {
    this.#parts = parts;
  }

  commit(request: Request): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ request, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  async settled(): Promise<void> {
    while (this.#running) await this.#running;
  }

  /** Runs a read while no page is removed. For reads whose pages were removed several times. */
  async holding<T>(read: () => Promise<T>): Promise<T> {
    this.#holds++;
    try {
      return await read();
    } finally {
      this.#holds--;
    }
  }

  /**
   * Removes every dropped page, unless a root that refers to them may still arrive. Only a sole
   * writer may call it, once all reads have ended.
   */
  async tidy(): Promise<void> {
    if (this.#mayBeLate) return;
    const { current } = this.#parts;
    const from = current.unknown ? await this.#recover(current.unknown) : current.known;
    const waiting = [...(await this.#waitingIn(from.root)), ...this.#abandoned];
    const { reserved, more } = from.root;
    const next = this.#nextPage;
    if (waiting.length === 0 && reserved === next) return;
    const removed = [...waiting, ...(more ? [more] : [])].flatMap(idsOf);
    const to = { ...from.root, next, reserved: next, dropped: [], more: undefined };
    await this.#swap({ from, to, pages: new Map(), removed });
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      // Groups the commits of one turn of the event loop. With a database that responds
      // synchronously, such as SQLite, it also keeps successive commits from blocking the loop.
      await setImmediate();
      const group = this.#takeGroup();
      try {
        const versions = await this.#commitGroup(group.map(({ request }) => request));
        for (const [index, { resolve }] of group.entries()) resolve(versions[index]);
      } catch (cause) {
        for (const { reject } of group) reject(failureOfCommit(cause));
      }
      await this.#parts.turns?.end();
    }
    this.#running = undefined;
  }

  #takeGroup(): Waiting[] {
    let bytes = 0;
    const count = this.#queue.findIndex(({ request }) => {
      bytes += request.bytes;
      return bytes > MAX_GROUP_BYTES;
    });
    return this.#queue.splice(0, count < 0 ? this.#queue.length : Math.max(count, 1));
  }

  async #commitGroup(requests: readonly Request[]): Promise<(string | undefined)[]> {
    const { cache, current, turns } = this.#parts;
    let image = current.unknown ? await this.#recover(current.unknown) : current.known;
    for (let attempt = 1; ; attempt++) {
      try {
        if (await turns?.begin()) image = await current.reload();
        const sequence = Math.max(this.#sequence, image.root.sequence);
        const outcome = await decide(cache, image.root.tree, requests, sequence);
        // A swap proves that the root was current. Without a swap, the root must be read again.
        if (outcome.edits.length === 0 && (attempt > 1 || (await current.latest()) === image)) {
          return outcome.versions;
        }
        if (outcome.edits.length > 0) {
          this.#sequence = outcome.sequence;
          if (await this.#write(image, outcome.edits, outcome.sequence)) return outcome.versions;
          turns?.lose();
        }
        if (attempt > 3) await sleep(Math.random() * 5);
        image = await current.reload();
      } catch (error) {
        if (!(error instanceof MissingPageError) || attempt === MAX_ATTEMPTS) throw error;
        const found = await current.reload();
        if (found === image) throw error;
        image = found;
      }
    }
  }

  /** Resolves to `false` if another process has changed the root meanwhile. */
  async #write(from: RootImage, edits: readonly Edit[], sequence: number): Promise<boolean> {
    const { cache, store, token, room } = this.#parts;
    const first = this.#nextPage;
    const writer = new TreeWriter(cache, { token, next: first, room });
    const stored = edits.map((edit) => writeValue(writer, edit, room));
    const tree = await writer.apply(from.root.tree, stored);
    const waiting = await this.#waitingIn(from.root);
    const excess = this.#holds > 0 ? 0 : Math.max(0, waiting.length - WAITING);
    const dropped = [...waiting.slice(excess), ...this.#abandoned, ...writer.dropped];
    if (from.root.more) dropped.push(from.root.more);
    const inRoot = dropped.length <= MAX_WAITING_IN_ROOT;
    const more = inRoot ? undefined : writer.writeLarge(pack(packPages(dropped)));
    const { next } = writer;
    const to: Root = {
      ...from.root,
      ...{ tree, sequence, more, dropped: inRoot ? dropped : [] },
      ...(from.root.owner === '' ? {} : { next, reserved: next }),
    };
    const pages = new Map(Array.from(writer.pages, ([id, { text }]) => [id, text]));
    const base = store.atomic ? from : await this.#reserve(from, next);
    const reserved = store.atomic ? to.reserved : next + 2 * (next - first) + SPARE_PAGES;
    this.#nextPage = next;
    const removed = waiting.slice(0, excess).flatMap(idsOf);
    try {
      const done = await this.#swap({ from: base, to: { ...to, reserved }, pages, removed });
      if (!done) return false;
    } catch (error) {
      if (!store.atomic) this.#abandoned.push({ token, first, count: next - first });
      throw error;
    }
    this.#abandoned = [];
    for (const id of removed) cache.forget(id);
    for (const [id, { page }] of writer.pages) cache.keep(id, page);
    return true;
  }

  /** Reserves page numbers in the root before pages with these numbers are written. */
  async #reserve(from: RootImage, end: number): Promise<RootImage> {
    if (end <= from.root.reserved) return from;
    const to = { ...from.root, reserved: end + SPARE_PAGES };
    const image = await this.#swap({ from, to, pages: new Map(), removed: [] });
    return image as RootImage;
  }

  async #swap(swap: Swap & { from: RootImage }): Promise<RootImage | undefined> {
    const { store, current } = this.#parts;
    const generation = swap.from.root.generation + 1;
    current.unknown = swap.from;
    try {
      const image = await store.swap({ ...swap, to: { ...swap.to, generation } });
      current.unknown = undefined;
      if (image) current.adopt(image);
      return image;
    } catch (error) {
      if (error instanceof StoreLostError) current.fail(error);
      this.#mayBeLate = !store.atomic;
      throw error;
    }
  }

  /** Reads the outcome of a failed swap from the root, when no later one can surprise the next. */
  async #recover(from: RootImage): Promise<RootImage> {
    const { current, store } = this.#parts;
    // With compare-and-set, a swap that takes effect later makes the next one fail. A connection may
    // stay silent for good.
    if (!store.atomic) await store.settled();
    const image = await current.reload();
    // The swap took effect after all, so the pages written for it are in use.
    if (image.root.generation !== from.root.generation) this.#abandoned = [];
    current.unknown = undefined;
    return image;
  }

  async #waitingIn({ dropped, more }: Root): Promise<readonly Pages[]> {
    if (!more) return dropped;
    const packed = unpack(await largeValue(this.#parts.cache, idsOf(more)));
    return unpackPages(packed as (string | number)[]);
  }
}

function writeValue(writer: TreeWriter, { key, item }: Edit, room: number): Edit {
  if (!item || !isInline(item.value) || item.value.length <= room / 4) return { key, item };
  return { key, item: { ...item, value: writer.writeLarge(item.value) } };
}
