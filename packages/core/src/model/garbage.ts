import type { Change, Entry } from '../contracts/metadata-store.js';
import { after, GARBAGE_PREFIX, garbageKey, parseGarbageKey } from './keys.js';
import type { Content } from './records.js';
import type { Store } from './store.js';

/*
 * At every instant each blob is named by a record or queued here for removal, whatever crashes:
 * a blob is born condemned, the commit that makes it part of an object takes it out of the queue,
 * and the commit that drops it puts it back.
 */

/** A blob that no record names yet. An upload has this long to finish. */
const CONDEMNED_FOR = 7 * 24 * 60 * 60 * 1000;
const BATCH = 500;

/** A blob's entry in the queue. A commit that expects it fails once the blob is being removed. */
export interface Condemned {
  readonly blob: string;
  readonly entry: Pick<Entry, 'key' | 'version'>;
}

/** Queues a blob that is about to be written. */
export async function condemn(store: Store, blob: string): Promise<Condemned> {
  const key = garbageKey(store.now() + CONDEMNED_FOR, blob);
  await store.metadata.commit({ put: [{ key, value: null }] });
  const entry = await store.metadata.get(key);
  if (entry === undefined) throw new Error(`The garbage entry of blob ${blob} is gone.`);
  return { blob, entry };
}

/** The part of a change that makes a condemned blob live. */
export const pardon = ({ entry }: Condemned): Change => ({
  expect: [{ key: entry.key, version: entry.version }],
  delete: [entry.key],
});

/** The part of a change that drops an object's bytes. Downloads that run may finish. */
export function drop(store: Store, content: Content): Change {
  if ('inline' in content) return { delete: [`i/${content.inline}`] };
  const due = store.now() + store.settings.readGrace;
  const blobs = new Set(content.segments.map((segment) => segment.blob));
  return { put: [...blobs].map((blob) => ({ key: garbageKey(due, blob), value: null })) };
}

/** Removes a condemned blob now, unless a commit has made it live after all. */
export async function discard(store: Store, condemned: Condemned): Promise<void> {
  const doomed = await doom(store, [condemned.entry]);
  await bury(store, doomed);
}

export interface SweepResult {
  readonly removed: number;
}

/** Removes every blob that is due. Stops at the first failure; what is left stays queued. */
export async function sweep(store: Store): Promise<SweepResult> {
  const now = store.now();
  let removed = 0;
  let start: string | undefined;
  for (;;) {
    const entries = await store.metadata.list({ prefix: GARBAGE_PREFIX, start, limit: BATCH });
    const due = entries.filter((entry) => parseGarbageKey(entry.key).due <= now);
    const doomed = await doom(store, due);
    await bury(store, doomed);
    removed += doomed.length;
    const last = due.at(-1);
    if (due.length < BATCH || last === undefined) return { removed };
    start = after(last.key);
  }
}

/**
 * Moves entries to due time 0, from where there is no way back: a commit that still expects the
 * old entry fails. Returns the entries that were moved, or had been by a sweep that crashed.
 */
async function doom(
  store: Store,
  entries: readonly Pick<Entry, 'key' | 'version'>[],
): Promise<string[]> {
  const waiting = entries.filter((entry) => parseGarbageKey(entry.key).due > 0);
  const doomed = entries.filter((entry) => !waiting.includes(entry)).map((entry) => entry.key);
  if (waiting.length === 0) return doomed;
  const moved = waiting.map(({ key }) => garbageKey(0, parseGarbageKey(key).blob));
  const committed = await store.metadata.commit({
    expect: waiting.map(({ key, version }) => ({ key, version })),
    delete: waiting.map(({ key }) => key),
    put: moved.map((key) => ({ key, value: null })),
  });
  if (committed) return doomed.concat(moved);
  if (waiting.length === 1) return doomed;
  for (const entry of waiting) doomed.push(...(await doom(store, [entry])));
  return doomed;
}

async function bury(store: Store, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  for (const key of keys) await store.blobs.remove(parseGarbageKey(key).blob);
  await store.metadata.commit({ delete: keys });
}
