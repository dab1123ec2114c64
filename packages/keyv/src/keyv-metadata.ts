import { randomBytes } from 'node:crypto';
import {
  type Change,
  checkOptions,
  type Entry,
  type KeyRange,
  type MetadataStore,
  OutcomeUnknownError,
  within,
} from '@bucketware/core/contracts';
import { checkRedis, checkRoom, checkSettings } from './adapter-checks.js';
import { atomicAdapter } from './atomic-adapters.js';
import { AtomicPages } from './atomic-pages.js';
import { probeAtomic } from './atomic-probe.js';
import { checkTree, type TreeReport } from './check-tree.js';
import { CheckedPages } from './checked-pages.js';
import { Committer } from './committer.js';
import { CurrentRoot } from './current-root.js';
import { checkFlushing, checkLogged } from './flushing.js';
import { GuardedKeyv } from './guarded-keyv.js';
import { encodeKey, encodeRange, groupsOf } from './keys.js';
import { checkKeyv, type KeyvLike } from './keyv-like.js';
import { type KeyvMetadataOptions, MIN_PAGE_SIZE, OPTIONS } from './keyv-options.js';
import { MissingPageError, PageCache } from './page-cache.js';
import type { PageStore } from './page-store.js';
import { toRequest } from './requests.js';
import type { Tree } from './root.js';
import { roomIn } from './seal.js';
import { openClaimed, openShared } from './take-over.js';
import { findItem, listItems, toEntry } from './tree-reader.js';
import { Turns } from './turns.js';

/** A metadata store in a Keyv. */
export interface KeyvMetadata extends MetadataStore {
  /** Whether one process at a time may write, or several. */
  readonly writers: 'one' | 'many';
  /** Reads all stored pages and reports damage. Takes time in proportion to their number. */
  check(): Promise<TreeReport>;
}

/** After this many tries, no page is removed while a read runs. */
const CALM_TRIES = 3;
const MAX_TRIES = 100;

/**
 * Stores the records in a Keyv, as a copy-on-write B+tree whose pages are values of the Keyv.
 *
 * Rejects when a write, a read or a delete of the Keyv fails or does not take effect, and with a
 * `TypeError` when its configuration could lose records: a `ttl`, a Redis or Valkey that may evict
 * keys, or with `durability: 'full'` a database that acknowledges commits before they are on the disk.
 *
 * ```ts
 * const metadata = await keyvMetadata(new Keyv({ store: new KeyvRedis(url) }));
 * ```
 */
export async function keyvMetadata(
  keyv: KeyvLike,
  options: KeyvMetadataOptions = {},
): Promise<KeyvMetadata> {
  checkOptions('keyvMetadata()', options, OPTIONS);
  checkKeyv(keyv);
  const { prefix = 'bucketware:', pageSize = MIN_PAGE_SIZE, timeout = 10_000 } = options;
  const guarded = new GuardedKeyv(keyv, timeout);
  try {
    return await open(guarded, { ...options, prefix, pageSize, timeout });
  } catch (error) {
    guarded.release();
    throw error;
  }
}

interface Settings extends KeyvMetadataOptions {
  readonly prefix: string;
  readonly pageSize: number;
  readonly timeout: number;
}

async function open(keyv: GuardedKeyv, settings: Settings): Promise<KeyvMetadata> {
  const { prefix, pageSize, compareAndSet = true, allowMemory = false } = settings;
  const { durability = 'full' } = settings;
  checkSettings(keyv, allowMemory);
  await checkRedis(keyv, durability);
  await checkLogged(keyv);
  if (durability === 'full') await checkFlushing(keyv);
  const adapter = compareAndSet ? atomicAdapter(keyv.adapter, durability) : undefined;
  const { writers = adapter ? 'many' : 'one' } = settings;
  if (writers === 'many' && !adapter) {
    throw new TypeError("This Keyv cannot compare and set, so only writers: 'one' is safe.");
  }
  const token = randomBytes(8).toString('hex');
  // With an atomic adapter, several processes may probe at the same time. Otherwise, the next process
  // overwrites what a killed one has left.
  const probe = adapter ? `probe-${token}` : 'probe';
  await checkRoom(keyv, prefix + probe, pageSize);
  const opener = { name: keyv.keyv.namespace ?? '', owner: writers === 'one' ? token : '' };
  let store: PageStore;
  let current: CurrentRoot;
  if (adapter) {
    const namespace = await probeAtomic(keyv, adapter, prefix + probe);
    const pages = new AtomicPages(keyv, adapter, { prefix, namespace, owner: opener.owner });
    store = pages;
    current = new CurrentRoot(store, await openShared(pages, opener), opener.owner);
  } else {
    const pages = new CheckedPages(keyv, prefix);
    store = pages;
    current = new CurrentRoot(store, await openClaimed(pages, opener), opener.owner);
  }
  const cache = new PageCache(store, settings.cacheBytes ?? 64 * 2 ** 20);
  const turns = writers === 'many' ? new Turns(keyv, `${prefix}turn`, token) : undefined;
  const room = roomIn(pageSize);
  const committer = new Committer({ store, cache, current, token, room, turns });
  return new TreeMetadata({ keyv, store, cache, current, committer, writers, settings });
}

interface Parts {
  readonly keyv: GuardedKeyv;
  readonly store: PageStore;
  readonly cache: PageCache;
  readonly current: CurrentRoot;
  readonly committer: Committer;
  readonly writers: 'one' | 'many';
  readonly settings: Settings;
}

class TreeMetadata implements KeyvMetadata {
  readonly writers: 'one' | 'many';
  readonly #parts: Parts;
  readonly #reads = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.writers = parts.writers;
  }

  async get(key: string): Promise<Entry | undefined> {
    return (await this.getMany([key]))[0];
  }

  async getMany(keys: readonly string[]): Promise<(Entry | undefined)[]> {
    const { cache } = this.#parts;
    const encoded = keys.map(encodeKey);
    const reading = this.#read((tree) =>
      Promise.all(
        encoded.map(async (key) => {
          const item = await findItem(cache, tree, key);
          return item && toEntry(cache, item);
        }),
      ),
    );
    return this.#inTime(reading);
  }

  async list({ prefix, start = prefix, limit, delimiter }: KeyRange): Promise<Entry[]> {
    const { cache } = this.#parts;
    const afterGroup = delimiter === undefined ? undefined : groupsOf(prefix, delimiter);
    const range = { ...encodeRange(prefix, start), limit, afterGroup };
    const reading = this.#read(async (tree) => {
      const items = await listItems(cache, tree, range);
      return Promise.all(items.map((item) => toEntry(cache, item)));
    });
    return this.#inTime(reading);
  }

  async commit(change: Change): Promise<string | undefined> {
    this.#checkOpen();
    const late = () => new OutcomeUnknownError('Keyv did not confirm a commit in time.');
    return this.#inTime(this.#parts.committer.commit(toRequest(change)), late);
  }

  check(): Promise<TreeReport> {
    const { store, current } = this.#parts;
    return this.#read(() => checkTree(store, current.known.root));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { keyv, committer, settings } = this.#parts;
    await committer.settled();
    await Promise.allSettled(this.#reads);
    // If this fails, the next process that opens the store removes the unused pages.
    if (this.writers === 'one') await committer.tidy().catch(() => undefined);
    keyv.release();
    // A client whose server is gone may wait forever for its responses.
    const late = 'Keyv did not disconnect in time.';
    if (settings.disconnect) await within(settings.timeout, late, leave(keyv));
  }

  async #read<T>(read: (tree: Tree | undefined) => Promise<T>): Promise<T> {
    this.#checkOpen();
    const reading = this.#retry(read);
    const ended = (): void => void this.#reads.delete(reading);
    this.#reads.add(reading);
    reading.then(ended, ended);
    return reading;
  }

  /** One call makes several calls to Keyv, each with its own limit, and may wait for others. */
  #inTime<T>(call: Promise<T>, late?: () => Error): Promise<T> {
    const limit = 2 * this.#parts.settings.timeout;
    return within(limit, late ?? `Keyv did not respond within ${limit} ms.`, call);
  }

  /** If a later commit has removed a page of the tree, starts the read again from the new root. */
  async #retry<T>(read: (tree: Tree | undefined) => Promise<T>): Promise<T> {
    const { current, committer } = this.#parts;
    for (let tries = 1; ; tries++) {
      let image = current.latest();
      if (image instanceof Promise) image = await image;
      const { tree } = image.root;
      try {
        if (tries <= CALM_TRIES) return await read(tree);
        return await committer.holding(async () => read((await current.latest()).root.tree));
      } catch (error) {
        if (!(error instanceof MissingPageError) || tries === MAX_TRIES) throw error;
        if (current.known === image && (await current.reload()) === image) throw error;
      }
    }
  }

  #checkOpen(): void {
    if (this.#closing) throw new Error('The metadata store is closed.');
  }
}

const leave = async ({ keyv }: GuardedKeyv): Promise<void> => void (await keyv.disconnect?.());
