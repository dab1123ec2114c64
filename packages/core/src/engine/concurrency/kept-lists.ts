import { LRUCache } from 'lru-cache';
import type { Principal } from '../../contracts/principal.js';
import { callerId } from './caller-id.js';
import { CallerLimit } from './caller-limit.js';
import type { SignalOf } from './when-aborted.js';
import { nextTurn } from './yielder.js';

/** Which list is wanted. */
export interface ListPlace {
  /** The owner of the bucket, if known. */
  readonly owner?: Principal;
  readonly id: string;
  /** Left out if the list of an id never changes. */
  readonly version?: string;
}

interface Kept<List> {
  readonly version: string;
  readonly list: List;
}

/**
 * A database that has lost its last commits may use their versions again, so a list is read again
 * after a while, in milliseconds.
 */
const KEPT_FOR = 5_000;

/**
 * How many requests may wait for the lists of one owner. A client may send many and cancel them, and
 * each takes some 12 KB.
 */
export const MOST_WAITING = 4_000;

/** About how many times more memory a decoded list takes than its JSON. */
const EXPANSION = 8;
/** The memory of an entry without its list. */
const ENTRY_BYTES = 500;

/** Programs get some of the lists, and must not change what decides about later requests. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

const decodedSize = (list: unknown): number => EXPANSION * JSON.stringify(list).length;

/**
 * Keeps decoded lists, one for each id, while their version is the same. Without this, thousands of
 * requests that arrive together would each hold a copy of the longest lists. Beyond the limit of
 * bytes, the least recently used ones are dropped.
 */
export class KeptLists<List> {
  readonly #kept: LRUCache<string, Kept<List>>;
  /**
   * A few at a time for each owner of lists, or for each list. Requests do not share a read, because
   * one that hangs must not stop the others.
   */
  readonly #reading = new CallerLimit(4, MOST_WAITING, 'requests that read long lists');

  readonly #sizeOf: (list: List) => number;

  /** `sizeOf`: about how many bytes of memory a list takes. Default: those of decoded JSON. */
  constructor(mostBytes: number, sizeOf: (list: List) => number = decodedSize) {
    this.#sizeOf = sizeOf;
    this.#kept = new LRUCache({ maxSize: mostBytes, ttl: KEPT_FOR });
  }

  /**
   * `read` resolves to `undefined` if there is no list of this version. Throws ServiceUnavailable
   * when too many requests are waiting, and what `signal` aborts with: a client that leaves gives up
   * its turn.
   */
  async get(
    { owner, id, version = '' }: ListPlace,
    read: () => Promise<List | undefined>,
    signal?: SignalOf,
  ): Promise<List | undefined> {
    const kept = this.#find(id, version);
    if (kept !== undefined) return kept;
    return this.#reading.run(owner === undefined ? id : callerId(owner), async () => {
      const found = this.#find(id, version);
      if (found !== undefined) return found;
      signal?.()?.throwIfAborted();
      await nextTurn(); // To decode a list takes up to a millisecond.
      return this.#keep(id, version, await read());
    });
  }

  #find(id: string, version: string): List | undefined {
    const kept = this.#kept.get(id);
    return kept?.version === version ? kept.list : undefined;
  }

  #keep(id: string, version: string, list: List | undefined): List | undefined {
    if (list === undefined) return undefined;
    const size = ENTRY_BYTES + this.#sizeOf(list);
    this.#kept.set(id, { version, list: frozen(list) }, { size });
    return list;
  }
}
