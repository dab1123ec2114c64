import { bucketExists } from '../buckets/buckets.js';
import type { Content, Segment } from '../records/content.js';
import { unpack } from '../records/manifest.js';
import { manifestRecords } from '../records/manifests.js';
import { objectRecords } from '../records/objects.js';
import { partRecords } from '../records/parts.js';
import { tombstoneRecords } from '../records/tombstones.js';
import { uploadRecords } from '../records/uploads.js';
import type { Store } from '../store.js';

/** The result of comparing records and blobs. Both lists are empty in a healthy storage. */
export interface CheckResult {
  readonly objects: number;
  readonly blobs: number;
  /** Blobs that a record names and that do not exist, or are shorter than the record says. */
  readonly missing: readonly string[];
  /** Blobs that neither a record nor a tombstone names. */
  readonly orphans: readonly string[];
}

/** How many are read at once: each may have hundreds of kilobytes. */
const LARGE_RECORDS = 16;

/**
 * Compares the blobs with records and tombstones. Takes memory for each blob. Run it while nothing
 * else uses the storage: changes meanwhile may be reported.
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
  for await (const page of tombstoneRecords.pages(store.metadata)) {
    for (const { key } of page) queued.add(tombstoneRecords.parse(key).id);
  }
  let objects = 0;
  for await (const page of objectRecords.pages(store.metadata)) {
    for (const { value } of page) needContent(value.content);
    objects += page.length;
  }
  for await (const page of manifestRecords.pages(store.metadata, { limit: LARGE_RECORDS })) {
    for (const { key, value } of page) {
      // The manifest of an interrupted copy names blobs that were never created.
      const dropped = queued.has(manifestRecords.parse(key));
      const take = dropped ? ({ blob }: Segment) => void queued.add(blob) : need;
      for (const segment of unpack(value)) take(segment);
    }
  }
  for await (const page of partRecords.pages(store.metadata)) {
    for (const { key, value } of page) {
      needContent(value.content);
      const { uploadId } = partRecords.parse(key);
      for (const { blob } of value.content.segments) uploadOf.set(blob, uploadId);
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
    // An interrupted sweep may have removed some data of the uploads that it was removing.
    const unfinished = await unfinishedUploads(store);
    missing = missing.filter((blob) => {
      const uploadId = uploadOf.get(blob);
      return uploadId === undefined || unfinished.has(uploadId);
    });
  }
  return { objects, blobs, missing, orphans };
}

/** The ids of the existing uploads in existing buckets. */
async function unfinishedUploads(store: Store): Promise<Set<string>> {
  const found = new Set<string>();
  let [bucketId, exists] = ['', false];
  for await (const page of uploadRecords.pages(store.metadata, { limit: LARGE_RECORDS })) {
    for (const { key } of page) {
      const id = uploadRecords.parse(key);
      if (id.bucketId !== bucketId) {
        bucketId = id.bucketId;
        exists = await bucketExists(store, bucketId);
      }
      if (exists) found.add(id.uploadId);
    }
  }
  return found;
}
