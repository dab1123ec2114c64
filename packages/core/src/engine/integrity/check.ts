import { manifestRecords } from '../records/manifests.js';
import { requireOwnRecords } from '../records/store-identity.js';
import { uploadRecords } from '../records/uploads.js';
import type { Store } from '../store.js';
import { NAMING_BLOBS, NeededBlobs } from './needed-blobs.js';

/** The result of comparing records and blobs. Both lists are empty in a healthy storage. */
export interface CheckResult {
  readonly objects: number;
  readonly blobs: number;
  /** Blobs that a record names and that do not exist, or are shorter than the record says. */
  readonly missing: readonly string[];
  /** Blobs that neither a record nor a tombstone names. */
  readonly orphans: readonly string[];
}

/** The kinds whose records may have hundreds of kilobytes each. */
const LARGE_RECORDS: ReadonlySet<unknown> = new Set([manifestRecords, uploadRecords]);

/**
 * Compares the blobs with records and tombstones. Takes memory in proportion to the number of
 * blobs. Run it while nothing else uses the storage; otherwise changes may be reported as problems.
 */
export async function check(store: Store): Promise<CheckResult> {
  await requireOwnRecords(store);
  const records = new NeededBlobs();
  for (const kind of NAMING_BLOBS) {
    const limit = LARGE_RECORDS.has(kind) ? 16 : 1000;
    for await (const page of kind.pages(store.metadata, { limit })) {
      for (const entry of page) records.take(entry);
    }
  }
  const needed = records.sizes();
  const missing = new Map(needed);
  const orphans: string[] = [];
  let blobs = 0;
  for await (const { id, size } of store.blobs.list()) {
    blobs++;
    const wanted = needed.get(id);
    if (wanted === undefined) {
      if (!records.isNamed(id)) orphans.push(id);
    } else if (size >= wanted) missing.delete(id);
  }
  return { objects: records.objects, blobs, missing: [...missing.keys()], orphans };
}
