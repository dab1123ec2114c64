import type { Change, Expectation } from '../contracts/metadata-store.js';
import { StorageError } from '../errors.js';
import type { SignalOf } from './concurrency/when-aborted.js';
import type { EventOf } from './events.js';
import type { Store } from './store.js';

/** The result of a plan: a change to commit, if any, and the value to return afterwards. */
export interface Plan<T> {
  readonly change?: Change;
  /** The events for listeners when the change is durable. */
  readonly events?: readonly EventOf[];
  readonly result: T;
}

/**
 * Commits once and then notifies listeners. Resolves to undefined if an expectation of the change
 * did not hold; then nothing has changed.
 */
export async function commit(
  store: Store,
  { change, events = [] }: { readonly change: Change; readonly events?: readonly EventOf[] },
): Promise<string | undefined> {
  const version = await store.metadata.commit(change);
  if (version !== undefined) for (const event of events) store.events.emit(event);
  return version;
}

/** How often a change starts again before the request fails. */
const MAX_ATTEMPTS = 200;

/**
 * Called before each attempt. Throws ServiceUnavailable after too many, and the reason of the signal
 * if the client has left: nothing has been committed.
 */
export function requireAttempt(attempt: number, signalOf: SignalOf): void {
  if (attempt > 0) signalOf()?.throwIfAborted();
  if (attempt === MAX_ATTEMPTS) throw new StorageError('ServiceUnavailable');
}

/**
 * Reads, decides and commits, and starts again if the data it read has changed meanwhile. In each
 * round one contender wins, so there is always progress. A change whose client has left does not
 * start again. `client` is undefined if the change is no client's.
 */
export async function transact<T>(
  store: Store,
  client: { readonly signal: SignalOf } | undefined,
  plan: (attempt: number) => Promise<Plan<T>>,
): Promise<T> {
  let key: string | undefined;
  try {
    for (let attempt = 0; ; attempt++) {
      requireAttempt(attempt, () => client?.signal());
      const { change, events, result } = await plan(attempt);
      if (change === undefined) return result;
      if ((await commit(store, { change, events: events ?? [] })) !== undefined) return result;
      key ??= store.contenders.enter(change);
      await store.contenders.backOff(key, attempt);
    }
  } finally {
    if (key !== undefined) store.contenders.leave(key);
  }
}

type Put = NonNullable<Change['put']>[number];

/** Combines several parts of a change into one. */
export function mergeChanges(...parts: readonly Change[]): Change {
  const [expect, put, gone]: [Expectation[], Put[], string[]] = [[], [], []];
  for (const part of parts) {
    // Not spread into a call: there may be more parts than a call can have arguments.
    for (const one of part.expect ?? []) expect.push(one);
    for (const one of part.put ?? []) put.push(one);
    for (const key of part.delete ?? []) gone.push(key);
  }
  return { expect, put, delete: gone };
}
