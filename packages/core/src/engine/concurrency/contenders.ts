import { setTimeout as sleep } from 'node:timers/promises';
import type { Change } from '../../contracts/metadata-store.js';
import { tooBusy } from '../../errors.js';

/** How many changes of one record may start again. Each takes some 15 KB. */
const MOST = 1_000;

/** With more than a few, they would only get in each other's way. */
const FEW = 8;

/** How long one attempt has the record to itself, on average, in milliseconds. */
const EACH = 4;

/** The changes that start again because others have changed the same record, by its key. */
export class Contenders {
  readonly #counts = new Map<string, number>();

  /** Adds a change. Throws ServiceUnavailable when too many wait for the same record. */
  enter(change: Change): string {
    const key = contended(change);
    const count = this.#counts.get(key) ?? 0;
    if (count >= MOST) {
      const message =
        'Too many changes of the same object or bucket at the moment. Try again when some have finished.';
      throw tooBusy(message);
    }
    this.#counts.set(key, count + 1);
    return key;
  }

  leave(key: string): void {
    const count = this.#counts.get(key) ?? 0;
    if (count > 1) this.#counts.set(key, count - 1);
    else this.#counts.delete(key);
  }

  /** The more contenders, the longer each waits, so that the attempts of all are as frequent. */
  async backOff(key: string, attempt: number): Promise<void> {
    const count = this.#counts.get(key) ?? 0;
    const crowd = count > FEW ? EACH * count : 0;
    const late = attempt > 4 ? Math.min(attempt, 50) : 0;
    const most = Math.max(crowd, late);
    if (most > 0) await sleep(Math.random() * most);
  }
}

/**
 * The record that a change competes for: the first that it replaces, rather than only expects. The
 * record of newly written data comes later in a change, and no other change has the same.
 */
function contended({ expect = [], put = [], delete: gone = [] }: Change): string {
  const changed = new Set([...put.map(({ key }) => key), ...gone]);
  const [first] = expect;
  return (expect.find(({ key }) => changed.has(key)) ?? first)?.key ?? '';
}
