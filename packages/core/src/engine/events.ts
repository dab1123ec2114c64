import type { Principal } from '../contracts/principal.js';
import { findUnknownName } from '../options.js';

/** Who makes a change, and by which operation. */
export interface Actor {
  /** The operation, or `Lifecycle`. */
  readonly operation: string;
  /** `undefined` for an anonymous caller, and for a lifecycle rule. */
  readonly principal: Principal | undefined;
  /** Empty when no HTTP request caused the event. */
  readonly requestId: string;
}

/** A change that was made. Its commit is durable. */
export interface StorageEvent extends Actor {
  /** The name of the bucket. */
  readonly bucket: string;
  /** Empty when the event is about the bucket itself. */
  readonly key: string;
  /** The size of the created object, in bytes. */
  readonly size?: number | undefined;
  /** The ETag of the created object, without quotes. */
  readonly etag?: string | undefined;
}

/**
 * The events of a storage. `object:created` also reports that an object was replaced, appended to,
 * or given other headers or metadata. A rename is an `object:removed` and an `object:created`.
 */
export type StorageEventName = (typeof NAMES)[number];

const NAMES = ['bucket:created', 'bucket:removed', 'object:created', 'object:removed'] as const;

/** An event with its name. */
export interface EventOf {
  readonly name: StorageEventName;
  readonly event: StorageEvent;
}

/** Called after the commit. Its errors and rejections go to `onError`. */
export type StorageListener = (event: StorageEvent) => void | Promise<void>;

/** Notifies listeners of events. Their errors go to `onError` and have no other effect. */
export class StorageEvents {
  readonly #listeners = new Map<StorageEventName, Set<StorageListener>>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Returns a function that unsubscribes. Throws a TypeError for an unknown event. */
  on(name: StorageEventName, listener: StorageListener): () => void {
    const unknownName = findUnknownName({ [String(name)]: 1 }, NAMES);
    if (unknownName !== undefined) throw new TypeError(`storage.on() has no event ${unknownName}`);
    if (typeof listener !== 'function') {
      throw new TypeError(`storage.on() takes a function that is called for each ${name}.`);
    }
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  emit({ name, event }: EventOf): void {
    const notify = async (listener: StorageListener) => listener(event);
    for (const listener of this.#listeners.get(name) ?? []) notify(listener).catch(this.#onError);
  }
}
