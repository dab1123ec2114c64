import { bucketExists } from '../buckets/buckets.js';
import {
  bucketIdOf,
  GARBAGE_PREFIX,
  MANIFEST_PREFIX,
  parseGarbageKey,
  uploadIdOf,
} from '../records/keys.js';
import { unpack } from '../records/manifest.js';
import type { Content, ObjectRecord, PartRecord, Segment } from '../records/types.js';
import { pages, type Store } from '../store.js';

/** What a comparison of records and bytes found. Both lists are empty in a sound storage. */
export interface CheckResult {
  readonly objects: number;
  readonly blobs: number;
  /** Blobs that a record names and that are not there, or are shorter than the record says. */
  readonly missing: readonly string[];
  /** Blobs that neither a record nor the garbage queue names. */
  readonly orphans: readonly string[];
}

/** So many of them are read at once: they may be of hundreds of kilobytes each. */
const LARGE_RECORDS = 16;

/**
 * Compares the blobs with what records and garbage queue say. Takes memory for each blob, and
 * wants a storage at rest: what changes meanwhile may be reported.
 */
export async function check(store: Store): Promise<CheckResult> {
  const needed = new Map<string, number>();
  const uploadOf = new Map<string, string>();
  const need = ({ blob, offset, length }: Segment): void => {
    needed.set(blob, Math.max(needed.get(blob) ?? 0, offset + length));
  };
  const needContent = (content: Content): void => {
    if (!('inline' in content)) content.segments.forEach(need);
  };
  const queued = new Set<string>();
  for await (const page of pages(store.metadata, GARBAGE_PREFIX)) {
    for (const { key } of page) queued.add(parseGarbageKey(key).id);
  }
  let objects = 0;
  for await (const page of pages(store.metadata, 'o/')) {
    for (const { value } of page) needContent((value as ObjectRecord).content);
    objects += page.length;
  }
  for await (const page of pages(store.metadata, MANIFEST_PREFIX, undefined, LARGE_RECORDS)) {
    for (const { key, value } of page) {
      // The manifest of a copy that broke off names blobs that were never made.
      const dropped = queued.has(key.slice(MANIFEST_PREFIX.length));
      const take = dropped ? ({ blob }: Segment) => void queued.add(blob) : need;
      for (const segment of unpack(value as Uint8Array)) take(segment);
    }
  }
  for await (const page of pages(store.metadata, 'p/')) {
    for (const { key, value } of page) {
      const { content } = value as PartRecord;
      needContent(content);
      const uploadId = key.slice('p/'.length, key.lastIndexOf('/'));
      for (const { blob } of content.segments) uploadOf.set(blob, uploadId);
    }
  }

  const orphans: string[] = [];
  let blobs = 0;
  for await (const { id, size } of store.blobs.list()) {
    blobs++;
    const wanted = needed.get(id);
    if (wanted === undefined && !queued.has(id)) orphans.push(id);
    if (wanted !== undefined && size >= wanted) needed.delete(id);
  }
  let missing = [...needed.keys()];
  if (missing.some((blob) => uploadOf.has(blob))) {
    // Of uploads that are being removed, a sweep that was cut off has removed some bytes.
    const unfinished = await unfinishedUploads(store);
    missing = missing.filter((blob) => {
      const uploadId = uploadOf.get(blob);
      return uploadId === undefined || unfinished.has(uploadId);
    });
  }
  return { objects, blobs, missing, orphans };
}

/** The ids of the uploads that are there, in buckets that are there. */
async function unfinishedUploads(store: Store): Promise<Set<string>> {
  const found = new Set<string>();
  let [bucketId, exists] = ['', false];
  for await (const page of pages(store.metadata, 'u/', undefined, LARGE_RECORDS)) {
    for (const { key } of page) {
      if (bucketIdOf(key) !== bucketId) {
        bucketId = bucketIdOf(key);
        exists = await bucketExists(store, bucketId);
      }
      if (exists) found.add(uploadIdOf(key));
    }
  }
  return found;
}
