import { asStorageError } from '../../errors.js';
import { after } from '../records/keys.js';
import type { Reservation } from '../records/tombstones.js';
import { FIRST_UNPADDED, FIRST_WAITING, tombstoneRecords } from '../records/tombstones.js';
import type { Store } from '../store.js';
import { mergeChanges } from '../transaction.js';
import { findHold, type Hold } from './holds.js';
import { Failures, purge } from './purge.js';
import { tombstone } from './tombstones.js';

const BATCH = 500;

/** The number of tombstones in one change when the disk is full. */
const FEW = 10;

/** A tombstone whose removal has not started, unless it is due at time 0. */
type Tombstone = Reservation['tombstone'];
type Begun = Omit<Tombstone, 'version'>;

/**
 * Removes reserved blobs now, unless a commit has adopted them after all. Never throws: it runs
 * after another failure, which is the one to report. What it does not remove still has a tombstone,
 * and if a sweep cannot remove it either, the sweep reports that to the host.
 */
export async function discard(store: Store, reservations: readonly Reservation[]): Promise<void> {
  for (const { id } of reservations) store.arriving.delete(id);
  const made = new Map(reservations.map((one) => [one.id, one.made]));
  await beginRemoval(
    store,
    reservations.map((one) => one.tombstone),
  )
    .then((begun) => purge(store, begun, { made }))
    .catch(() => {});
}

/** The result of `storage.sweep()`. */
export interface SweepResult {
  /** How many tombstones were purged: those of blobs, manifests, ended uploads and results. */
  readonly removed: number;
}

/** After this number of pages in a row of which nothing could be removed, a sweep skips the rest. */
const MOST_FAILED = 10;

/**
 * Removes everything that is due. What cannot be removed keeps its tombstone for the next sweep; the
 * first such failure is thrown at the end. Ends early if the blob store cannot be reached, or if
 * `signal` aborts. While a backup is running, it only finishes removals that had begun before.
 */
export async function sweep(store: Store, signal?: AbortSignal): Promise<SweepResult> {
  store.reservedIds.forgetStale();
  const failures = new Failures();
  let removed = 0;
  // The first ones are what earlier sweeps could not remove, which must not delay the rest.
  for (const start of [undefined, FIRST_WAITING, FIRST_UNPADDED]) {
    removed += await sweepFrom(store, start, { failures, signal });
  }
  if (failures.count > 0) throw failures.first;
  return { removed };
}

interface Progress {
  readonly failures: Failures;
  readonly signal: AbortSignal | undefined;
}

/** Removes what is due, up to the first page that is not due as a whole. */
async function sweepFrom(
  store: Store,
  first: string | undefined,
  { failures, signal }: Progress,
): Promise<number> {
  const now = store.now();
  let removed = 0;
  let failedPages = 0;
  const goesOn = () => !signal?.aborted && !failures.isUnreachable && failedPages < MOST_FAILED;
  for (let start = first; goesOn(); ) {
    const { prefix } = tombstoneRecords;
    const page = await store.metadata.list({ prefix, start, limit: BATCH });
    const due = page.filter(({ key }) => tombstoneRecords.parse(key).due <= now);
    const left = due
      .filter(({ key }) => !store.arriving.has(tombstoneRecords.parse(key).id))
      .map((entry) => tombstoneRecords.decode(entry));
    const hold = left.length === 0 ? undefined : await findHold(store);
    const begun = await beginRemoval(store, left, hold);
    const earlier = failures.count;
    const purged = await purge(store, begun, { failures, signal });
    removed += purged;
    const isFailed = purged === 0 && failures.count > earlier;
    failedPages = isFailed ? failedPages + 1 : 0;
    if (hold?.isHeld && begun.length < left.length) return removed;
    const last = due.at(-1);
    if (due.length < BATCH || last === undefined) return removed;
    start = after(last.key);
  }
  return removed;
}

/**
 * Moves tombstones to due time 0, which is final: a commit that still expects the old one fails.
 * Returns those that were moved, now or by an earlier sweep that crashed.
 */
async function beginRemoval(
  store: Store,
  tombstones: readonly Tombstone[],
  hold?: Hold,
): Promise<Begun[]> {
  const isWaiting = ({ key }: Tombstone) => tombstoneRecords.parse(key).due > 0;
  const waiting = tombstones.filter(isWaiting);
  const begun: Begun[] = tombstones.filter((one) => !isWaiting(one));
  if (waiting.length === 0 || hold?.isHeld) return begun;
  const moved = waiting.map(({ key, value }) =>
    tombstone(0, tombstoneRecords.parse(key).id, value),
  );
  const expect = waiting.map(({ key, version }) => ({ key, version }));
  const removal = { expect, delete: waiting.map(({ key }) => key), put: moved };
  let few = 1;
  try {
    const committed = await store.metadata.commit(mergeChanges(removal, hold?.change ?? {}));
    if (committed !== undefined) return begun.concat(moved);
  } catch (error) {
    // A full disk may have space for a smaller change. The removal then makes more.
    if (asStorageError(error).code !== 'InsufficientStorage' || waiting.length <= FEW) throw error;
    few = FEW;
  }
  if (waiting.length === 1) return begun;
  for (let at = 0; at < waiting.length; at += few) {
    begun.push(...(await beginRemoval(store, waiting.slice(at, at + few), hold)));
  }
  return begun;
}
