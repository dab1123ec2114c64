import type { Change } from '../../contracts/metadata-store.js';
import { type BackupRun, backupsRecord } from '../records/backups.js';
import { newId, type Store } from '../store.js';
import { mergeChanges, transact } from '../transaction.js';

/** How often a running backup renews its record, in milliseconds. */
export const RENEW_EVERY = 20_000;

/**
 * A backup counts as ended when it has not renewed its record for this long, by the clock of the
 * waiting process.
 */
const SILENT_FOR = 5 * 60_000;

/**
 * The same for processes that sweep only once, by the times in the record: longer than any
 * difference between clocks.
 */
const FORGOTTEN_AFTER = 24 * 60 * 60_000;

/**
 * Whether a backup delays the removal of garbage. If none does, `change` must be part of the commit
 * that begins a removal: that commit then fails if a backup has begun, and a backup that has
 * stopped renewing its record finds out that it was given up. Read the hold after the tombstones,
 * because whatever a backup needs was dropped after the backup began.
 */
export type Hold = { readonly isHeld: true } | { readonly isHeld: false; readonly change: Change };

/**
 * The clocks of machines differ, so a backup counts as ended when its record stays the same for a
 * while.
 */
export async function findHold(store: Store): Promise<Hold> {
  const entry = await backupsRecord.get(store.metadata, undefined);
  const runs = entry?.value.runs ?? [];
  const now = store.now();
  const ended = runs.filter((run) => hasEnded(store, run, now));
  for (const id of store.seenRuns.keys()) {
    if (!runs.some((run) => run.id === id)) store.seenRuns.delete(id);
  }
  if (ended.length < runs.length) return { isHeld: true };
  const expected = backupsRecord.expect(undefined, entry?.version);
  const forgotten = entry === undefined ? {} : backupsRecord.delete(undefined);
  return { isHeld: false, change: mergeChanges(expected, forgotten) };
}

function hasEnded({ seenRuns }: Store, { id, renewed }: BackupRun, now: number): boolean {
  const seen = seenRuns.get(id);
  if (seen?.renewed !== renewed || seen.since > now) seenRuns.set(id, { renewed, since: now });
  const since = seenRuns.get(id)?.since ?? now;
  return now - since > SILENT_FOR || Math.abs(now - renewed) > FORGOTTEN_AFTER;
}

/**
 * Delays the removal of garbage in all processes until `release` is called. If this process dies,
 * the others stop waiting for it.
 */
export class GarbageHold {
  readonly #store: Store;
  readonly #id = newId();
  #renewedAt = performance.now();

  private constructor(store: Store) {
    this.#store = store;
  }

  static async take(store: Store): Promise<GarbageHold> {
    const hold = new GarbageHold(store);
    const now = store.now();
    await hold.#change((runs) => {
      const others = runs.filter((run) => !hasEnded(store, run, now));
      return [...others, { id: hold.#id, renewed: now }];
    });
    return hold;
  }

  /** Throws when the hold is lost: other processes may have removed what the backup needs. */
  async renew(): Promise<void> {
    await this.#change((runs, own) => {
      if (own === undefined) throw new Error(LOST);
      // Other processes must see a new value even if the clock stops or goes back.
      const renewed = Math.max(this.#store.now(), own.renewed + 1);
      return runs.map((run) => (run === own ? { ...run, renewed } : run));
    });
    this.#renewedAt = performance.now();
  }

  /**
   * Renews the record when it is time. A failure matters only once the other processes may have
   * stopped waiting.
   */
  async tick(): Promise<void> {
    try {
      await this.renew();
    } catch (error) {
      const isLost = error instanceof Error && error.message === LOST;
      if (isLost || performance.now() - this.#renewedAt > SILENT_FOR - 2 * RENEW_EVERY) throw error;
    }
  }

  release(): Promise<void> {
    return this.#change((runs, own) => runs.filter((run) => run !== own));
  }

  #change(
    change: (runs: readonly BackupRun[], own: BackupRun | undefined) => readonly BackupRun[],
  ): Promise<void> {
    return transact(this.#store, undefined, async () => {
      const entry = await backupsRecord.get(this.#store.metadata, undefined);
      const before = entry?.value.runs ?? [];
      const runs = change(
        before,
        before.find(({ id }) => id === this.#id),
      );
      const written =
        runs.length === 0
          ? backupsRecord.delete(undefined)
          : backupsRecord.put(undefined, { runs });
      const expected = backupsRecord.expect(undefined, entry?.version);
      return { change: mergeChanges(expected, written), result: undefined };
    });
  }
}

const LOST =
  'Other processes stopped waiting for the backup and may have removed data that it needs. ' +
  'This process was paused for minutes, or clocks differ by more than a day.';
