import { randomBytes } from 'node:crypto';
import { OutcomeUnknownError } from '@bucketware/core/contracts';
import { CLAIM_ID, type Claim, sealClaim, unsealClaim } from './claim.js';
import { rejectChange, UNKNOWN } from './database-codes.js';
import { GroupedReads } from './grouped-reads.js';
import type { GuardedKeyv } from './guarded-keyv.js';
import { decodeText, encodeText } from './keyv-like.js';
import { FencedError, type PageStore, type RootImage, type Swap } from './page-store.js';
import { ROOT_ID, sealRoot, unsealRoot } from './root.js';

/** The arguments of one atomic compare-and-set. Keys and values are those of the adapter. */
export interface AtomicSwap {
  readonly key: string;
  /** The value that `key` must have. `undefined`: the key must be absent. */
  readonly from: string | undefined;
  /**
   * Another key, and the value that it must have. A `set` of this key must wait for the swap, or the
   * swap must notice it.
   */
  readonly claim: readonly [key: string, value: string];
  readonly to: string;
  readonly put: readonly (readonly [key: string, value: string])[];
  readonly delete: readonly string[];
}

/**
 * Methods that an adapter may have in addition to Keyv's interface. With `swap`, several processes
 * may write to the store.
 */
export interface AtomicAdapter {
  get(key: string): Promise<unknown>;
  /**
   * Reads all keys in one query. Resolves to their values in the same order, with `undefined` or
   * `null` for each absent key.
   */
  getMany?(keys: readonly string[]): Promise<readonly unknown[]>;
  /**
   * If `key` has the value `from` and `claim` has its value, sets `key` to `to`, stores the `put`
   * values and deletes the `delete` keys, all in one atomic step. Otherwise, resolves to `false`
   * without any change.
   */
  swap(swap: AtomicSwap): Promise<boolean>;
}

interface AtomicNames {
  readonly prefix: string;
  /** What Keyv puts before each key that it passes to the adapter. */
  readonly namespace: string;
  /** The token of the only writer; empty when several may write. */
  readonly owner: string;
}

/**
 * Pages on an adapter that can compare and set. A whole commit is one atomic step of the database,
 * so several processes may write, and a crash leaves no unused pages.
 */
export class AtomicPages implements PageStore {
  readonly atomic = true;
  readonly #keyv: GuardedKeyv;
  readonly #adapter: AtomicAdapter;
  readonly #prefix: string;
  readonly #namespace: string;
  readonly #owner: string;
  readonly #reads: GroupedReads | undefined;
  #last: RootImage | undefined;
  /** The claim that every swap requires, and its value in the adapter. */
  #claim: Claim | undefined;
  #storedClaim = '';

  constructor(keyv: GuardedKeyv, adapter: AtomicAdapter, names: AtomicNames) {
    this.#keyv = keyv;
    this.#adapter = adapter;
    this.#prefix = names.prefix;
    this.#namespace = names.namespace;
    this.#owner = names.owner;
    const { getMany } = adapter;
    this.#reads =
      getMany &&
      new GroupedReads((keys) =>
        keyv.run(`read ${keys[0]} (one of ${keys.length})`, () => getMany.call(adapter, keys)),
      );
  }

  async readRoot(): Promise<RootImage | undefined> {
    const stored = await this.#keyv.get(this.#keyOf(ROOT_ID), this.#adapter);
    if (stored === undefined) return undefined;
    // The root is read often and rarely changes, so it is parsed only when it has.
    if (stored !== this.#last?.stored) {
      this.#last = { root: unsealRoot(await decodeText(this.#keyv.keyv, stored)), stored };
    }
    return this.#last;
  }

  async readPage(id: string): Promise<unknown> {
    if (!this.#reads) return this.#keyv.get(this.#prefix + id);
    const stored = await this.#reads.read(this.#keyOf(id));
    return stored === undefined || stored === null
      ? undefined
      : decodeText(this.#keyv.keyv, stored);
  }

  async readClaim(): Promise<Claim | undefined> {
    const stored = await this.#keyv.get(this.#keyOf(CLAIM_ID), this.#adapter);
    if (stored === undefined) return undefined;
    const found = unsealClaim(await decodeText(this.#keyv.keyv, stored));
    if (found?.token === this.#owner) {
      this.#claim = found;
      this.#storedClaim = stored as string;
    }
    return found;
  }

  /** Stops every writer with another token: from then on, none of its swaps takes effect. */
  async claim(claim: Claim): Promise<void> {
    await this.#keyv.set(this.#prefix + CLAIM_ID, sealClaim(claim));
    if ((await this.readClaim())?.token !== this.#owner) throw new FencedError();
  }

  /**
   * Throws a `FencedError` if the claim is that of another writer. Several writers may replace each
   * other's claim, and a database may lose it.
   */
  async #requireClaim(): Promise<void> {
    const own = this.#claim;
    const found = await this.readClaim();
    if (found === undefined && own) await this.#claimAgain(own);
    else if (found?.token !== this.#owner) throw new FencedError();
  }

  /** Leaves a database alone that was emptied, so that a backup can be restored into it. */
  async #claimAgain(own: Claim): Promise<void> {
    if (await this.readRoot()) await this.claim(own);
  }

  async swap({ from, to, pages, removed }: Swap): Promise<RootImage | undefined> {
    // Without pages, nothing else would tell this swap from that of another process.
    const nonce = pages.size === 0 ? randomBytes(8).toString('hex') : undefined;
    const stored = await encodeText(this.#keyv.keyv, sealRoot(to, nonce));
    const put = await Promise.all(
      Array.from(
        pages,
        async ([id, text]) => [this.#keyOf(id), await encodeText(this.#keyv.keyv, text)] as const,
      ),
    );
    const swapped = await this.#swap({
      key: this.#keyOf(ROOT_ID),
      from: from?.stored as string | undefined,
      claim: [this.#keyOf(CLAIM_ID), this.#storedClaim],
      to: stored,
      put,
      delete: removed.map((id) => this.#keyOf(id)),
    }).catch(rejectChange);
    if (swapped || (await this.#tookEffect(stored, pages))) return { root: to, stored };
    await this.#requireClaim();
    return undefined;
  }

  /**
   * Whether a swap that found another root had already taken effect. Some clients repeat a command
   * whose response was lost, such as node-redis with Sentinel. Page ids are never used again, and
   * pages stay for a while after a later commit has dropped them.
   */
  async #tookEffect(stored: string, pages: Swap['pages']): Promise<boolean> {
    const [page] = pages.keys();
    try {
      if (page === undefined) return (await this.readRoot())?.stored === stored;
      return (await this.readPage(page)) !== undefined;
    } catch (cause) {
      throw new OutcomeUnknownError(UNKNOWN, { cause });
    }
  }

  /** A swap that arrives late has no effect if the root has changed. */
  mayBeLate(): boolean {
    return false;
  }

  settled(): Promise<void> {
    return this.#keyv.settled();
  }

  #swap(swap: AtomicSwap): Promise<boolean> {
    return this.#keyv.run(`commit to ${swap.key}`, () => this.#adapter.swap(swap));
  }

  /** The key that Keyv passes to the adapter. */
  #keyOf(id: string): string {
    return this.#namespace + this.#prefix + id;
  }
}
