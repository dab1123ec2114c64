import { OutcomeUnknownError } from '@bucketware/core/contracts';
import { CLAIM_ID, type Claim, sealClaim, unsealClaim } from './claim.js';
import { rejectChange, UNKNOWN } from './database-codes.js';
import { GroupedReads } from './grouped-reads.js';
import type { GuardedKeyv } from './guarded-keyv.js';
import type { FullKeyv } from './keyv-like.js';
import type { PageStore, RootImage, Swap } from './page-store.js';
import { isForbidden } from './redis-server.js';
import { ROOT_ID, sealRoot, unsealRoot } from './root.js';

/** The arguments of one atomic compare-and-set. Keys and values are those of the adapter. */
export interface AtomicSwap {
  readonly key: string;
  /** The value that `key` must have. `undefined`: the key must be absent. */
  readonly from: string | undefined;
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
   * If `key` has the value `from`, sets it to `to`, stores the `put` values and deletes the
   * `delete` keys, all in one atomic step. Resolves to `false`, without any change, if it has
   * another value.
   */
  swap(swap: AtomicSwap): Promise<boolean>;
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
  readonly #reads: GroupedReads | undefined;
  /** What Keyv puts before each key that it passes to the adapter. */
  #namespace = '';
  #last: RootImage | undefined;

  constructor(keyv: GuardedKeyv, adapter: AtomicAdapter, prefix: string) {
    this.#keyv = keyv;
    this.#adapter = adapter;
    this.#prefix = prefix;
    const { getMany } = adapter;
    this.#reads =
      getMany &&
      new GroupedReads((keys) =>
        keyv.run(`read ${keys[0]} (one of ${keys.length})`, () => getMany.call(adapter, keys)),
      );
  }

  async readRoot(): Promise<RootImage | undefined> {
    const key = this.#keyOf(ROOT_ID);
    const stored = await this.#keyv.run(`read ${key}`, () => this.#adapter.get(key));
    if (stored === undefined || stored === null) return undefined;
    // The root is read often and rarely changes, so it is parsed only when it has.
    if (stored !== this.#last?.stored) {
      this.#last = { root: unsealRoot(await this.#decode(stored)), stored };
    }
    return this.#last;
  }

  async readPage(id: string): Promise<unknown> {
    if (!this.#reads) return this.#keyv.get(this.#prefix + id);
    const stored = await this.#reads.read(this.#keyOf(id));
    return stored === undefined || stored === null ? undefined : this.#decode(stored);
  }

  async readClaim(): Promise<Claim | undefined> {
    return unsealClaim(await this.#keyv.get(this.#prefix + CLAIM_ID));
  }

  /** Stops a writer without compare-and-set: it reads the claim before each of its roots. */
  claim(claim: Claim): Promise<void> {
    return this.#keyv.set(this.#prefix + CLAIM_ID, sealClaim(claim));
  }

  async swap({ from, to, pages, removed }: Swap): Promise<RootImage | undefined> {
    const stored = await this.#encode(sealRoot(to));
    const put = await Promise.all(
      Array.from(pages, async ([id, text]) => [this.#keyOf(id), await this.#encode(text)] as const),
    );
    const swapped = await this.#swap({
      key: this.#keyOf(ROOT_ID),
      from: from?.stored as string | undefined,
      to: stored,
      put,
      delete: removed.map((id) => this.#keyOf(id)),
    }).catch(rejectChange);
    if (swapped || (await this.#tookEffect(stored, pages))) return { root: to, stored };
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

  /**
   * Checks with a temporary key that the adapter's compare-and-set works on the values that Keyv
   * reads and writes.
   */
  async checkCompareAndSet(id: string, text: string): Promise<void> {
    const matches = (await this.#findNamespace(id, text)) && (await this.#matches(id, text));
    if (matches) return;
    throw new Error(
      'The compare-and-set of this Keyv adapter does not match what Keyv reads and writes. ' +
        'Open the store with compareAndSet: false; then only one process may write.',
    );
  }

  /**
   * Finds out what Keyv puts before the keys, and resolves to whether that was possible. It depends
   * on the version of Keyv, on its settings and on whether the adapter itself adds the namespace.
   */
  async #findNamespace(id: string, text: string): Promise<boolean> {
    const key = this.#prefix + id;
    await this.#keyv.set(key, text);
    const found = await Promise.all(
      namespacesOf(this.#keyv.keyv).map(async (namespace) => {
        const stored = await this.#keyv.run(`read ${namespace + key}`, () =>
          this.#adapter.get(namespace + key),
        );
        return stored === undefined || stored === null ? [] : [namespace];
      }),
    ).finally(() => this.#keyv.delete(key));
    const [namespace] = found.flat();
    this.#namespace = namespace ?? '';
    return namespace !== undefined;
  }

  async #matches(id: string, text: string): Promise<boolean> {
    const key = this.#keyOf(id);
    const value = await this.#encode(text);
    const swap = { key, to: value, put: [[`${key}2`, value]] as const, delete: [] };
    const first = await this.#swap({ ...swap, from: undefined }).catch(rejectForbidden);
    const again = await this.#swap({ ...swap, from: `${value} ` });
    const texts = [
      await this.#keyv.get(this.#prefix + id),
      ...(await Promise.all([id, `${id}2`].map((page) => this.readPage(page)))),
    ];
    const both = { ...swap, from: value, put: [], delete: [`${key}2`] };
    const last = await this.#swap(both);
    const left = last ? [id] : [id, `${id}2`];
    await Promise.all(left.map((page) => this.#keyv.delete(this.#prefix + page)));
    return first && !again && last && texts.every((found) => found === text);
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

  async #encode(text: string): Promise<string> {
    const { keyv } = this.#keyv;
    const encoded = await (keyv.encode ?? keyv.serializeData)?.call(keyv, { value: text });
    if (typeof encoded === 'string') return encoded;
    throw new Error('This Keyv does not serialize to text: remove its serialization setting.');
  }

  async #decode(stored: unknown): Promise<unknown> {
    const { keyv } = this.#keyv;
    return (await (keyv.decode ?? keyv.deserializeData)?.call(keyv, stored))?.value;
  }
}

function rejectForbidden(cause: unknown): never {
  if (!isForbidden(cause)) throw cause;
  throw new Error(
    'This server does not let the user run the script that commits: allow EVAL, ' +
      'or open the store with compareAndSet: false; then only one process may write.',
    { cause },
  );
}

/**
 * What Keyv may put before a key: nothing, as with an adapter that adds the namespace itself, or the
 * namespace with the separator of Keyv 5 or of an adapter that Keyv 6 wraps.
 */
function namespacesOf({ namespace, store }: FullKeyv): readonly string[] {
  if (!namespace) return [''];
  const { namespaceSeparator = '::' } = store as { namespaceSeparator?: string };
  return ['', ...new Set([':', namespaceSeparator])].map((end) => end && namespace + end);
}
