import { after, GARBAGE_PREFIX, parseGarbageKey } from './keys.js';
import type { ObjectRecord } from './records.js';
import type { Store } from './store.js';

/** What a comparison of records and bytes found. Both lists are empty in a sound storage. */
export interface CheckResult {
  readonly objects: number;
  readonly blobs: number;
  /** Blobs that a record names and that are not there, or are shorter than the record says. */
  readonly missing: readonly string[];
  /** Blobs that neither a record nor the garbage queue names. */
  readonly orphans: readonly string[];
}

const PAGE = 1000;

/**
 * Compares the blobs with what records and garbage queue say. Takes memory for each blob, and
 * wants a storage at rest: what changes meanwhile may be reported.
 */
export async function check(store: Store): Promise<CheckResult> {
  const needed = new Map<string, number>();
  const queued = new Set<string>();
  let objects = 0;
  for await (const entry of entries(store, 'o/')) {
    const { content } = entry.value as ObjectRecord;
    objects++;
    if ('inline' in content) continue;
    for (const { blob, offset, length } of content.segments) {
      needed.set(blob, Math.max(needed.get(blob) ?? 0, offset + length));
    }
  }
  for await (const { key } of entries(store, GARBAGE_PREFIX)) queued.add(parseGarbageKey(key).blob);

  const orphans: string[] = [];
  let blobs = 0;
  for await (const { id, size } of store.blobs.list()) {
    blobs++;
    const wanted = needed.get(id);
    if (wanted === undefined && !queued.has(id)) orphans.push(id);
    if (wanted !== undefined && size >= wanted) needed.delete(id);
  }
  return { objects, blobs, missing: [...needed.keys()], orphans };
}

async function* entries(store: Store, prefix: string) {
  for (let start: string | undefined; ; ) {
    const page = await store.metadata.list({ prefix, start, limit: PAGE });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    start = after(last.key);
  }
}
