import { readInline, segmentsWithin } from './content.js';
import { type Condemned, condemn, discard } from './garbage.js';
import type { ObjectRecord, Segment } from './records.js';
import { newId, type Store } from './store.js';

/** Blobs that are shared at the same time. */
const AT_ONCE = 16;

/** The same bytes under blobs of their own, so that either side may be removed alone. */
export interface Shared {
  readonly segments: readonly Segment[];
  readonly condemned: readonly Condemned[];
}

/**
 * Shares the blobs of segments without copying bytes where the driver can. An appendable's last
 * blob may grow, but only behind the bytes that the segments name.
 */
export async function shareSegments(store: Store, segments: readonly Segment[]): Promise<Shared> {
  if (segments.length === 0) return { segments, condemned: [] };
  const blobs = [...new Set(segments.map(({ blob }) => blob))];
  const condemned = await condemn(store, blobs.map(newId));
  const copies = new Map(blobs.map((blob, at) => [blob, (condemned[at] as Condemned).blob]));
  const failures: unknown[] = [];
  const waiting = copies.entries();
  const worker = async (): Promise<void> => {
    for (const [blob, copy] of waiting) {
      if (failures.length > 0) return;
      await store.blobs.share(blob, copy).catch((error: unknown) => failures.push(error));
    }
  };
  // All have ended before the copies are removed: a late one would be nobody's.
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (failures.length > 0) {
    await discard(store, condemned);
    throw failures[0];
  }
  const renamed = segments.map((segment) => ({
    ...segment,
    blob: copies.get(segment.blob) as string,
  }));
  return { segments: renamed, condemned };
}

/** All the bytes of an object, shared, or in memory when they are few. */
export async function shareObject(
  store: Store,
  { content, size }: ObjectRecord,
): Promise<Shared & { readonly bytes: Uint8Array | undefined }> {
  if ('inline' in content) {
    return { bytes: await readInline(store, content.inline), segments: [], condemned: [] };
  }
  const segments = await segmentsWithin(store, content, { start: 0, end: size });
  return { bytes: undefined, ...(await shareSegments(store, segments)) };
}
