import type { ObservedRequest, RequestObserver } from '@bucketware/core';
import { Buckets } from './buckets.js';

/** The number of requests of an operation that ended in the same way. */
interface Outcome {
  readonly status: number;
  readonly error: string;
  count: number;
}

/** The requests of one operation in one dialect. */
export class Tally {
  readonly dialect: string;
  readonly operation: string;
  readonly duration: Buckets;
  readonly firstByte: Buckets;
  incomplete = 0;
  received = 0;
  sent = 0;
  readonly #outcomes = new Map<number, Map<string, Outcome>>();

  constructor(dialect: string, operation: string, bounds: readonly number[]) {
    this.dialect = dialect;
    this.operation = operation;
    this.duration = new Buckets(bounds);
    this.firstByte = new Buckets(bounds);
  }

  add(request: ObservedRequest): void {
    this.#outcome(request.status, request.error ?? '').count++;
    this.duration.add(request.duration / 1000);
    this.firstByte.add(request.firstByte / 1000);
    this.received += request.bytesIn;
    this.sent += request.bytesOut;
    if (!request.complete) this.incomplete++;
  }

  *outcomes(): Generator<Outcome> {
    for (const errors of this.#outcomes.values()) yield* errors.values();
  }

  #outcome(status: number, error: string): Outcome {
    const errors = itemOf(this.#outcomes, status, () => new Map<string, Outcome>());
    return itemOf(errors, error, () => ({ status, error, count: 0 }));
  }
}

/**
 * Counts requests in plain numbers, which are converted when Prometheus reads them. Updating
 * labelled counters would take several microseconds for each request; this takes a fraction of one.
 */
export class Tallies implements RequestObserver {
  readonly needsContext = false;
  inProgress = 0;
  readonly #bounds: readonly number[];
  readonly #dialects = new Map<string, Map<string, Tally>>();

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  begin(): void {
    this.inProgress++;
  }

  end(request: ObservedRequest): void {
    this.inProgress--;
    this.#tally(request.dialect, request.operation ?? 'none').add(request);
  }

  all(): Tally[] {
    return Array.from(this.#dialects.values()).flatMap((tallies) => Array.from(tallies.values()));
  }

  #tally(dialect: string, operation: string): Tally {
    const tallies = itemOf(this.#dialects, dialect, () => new Map<string, Tally>());
    return itemOf(tallies, operation, () => new Tally(dialect, operation, this.#bounds));
  }
}

/** Returns the item for a key, and creates it the first time. */
function itemOf<Key, Item>(items: Map<Key, Item>, key: Key, make: () => Item): Item {
  let item = items.get(key);
  if (item === undefined) {
    item = make();
    items.set(key, item);
  }
  return item;
}
