import type { Change } from '../contracts/metadata-store.js';
import { allSegments, asContent } from './content.js';
import type { ContentName } from './damage.js';
import { type Condemned, condemn, discard, pardon } from './garbage.js';
import { inlineKey } from './keys.js';
import { readInline } from './reading.js';
import type { Content, ObjectRecord, Segment } from './records.js';
import { newId, type Store, together } from './store.js';

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

/** What a copy of an object is made of, and the part of a change that makes it live. */
export interface Copied {
  readonly content: Content;
  readonly change: Change;
  readonly condemned: readonly Condemned[];
}

/** All the bytes of an object, shared; or written anew when they are in a record. */
export async function shareObject(
  store: Store,
  name: ContentName,
  { content }: ObjectRecord,
): Promise<Copied> {
  if ('inline' in content) {
    const value = await readInline(store, name, content);
    const inline = newId();
    const change = { put: [{ key: inlineKey(inline), value }] };
    return { content: { ...content, inline }, change, condemned: [] };
  }
  const shared = await shareSegments(store, await allSegments(store, content));
  const made = asContent(store, shared.segments);
  const change = together(made.change, pardon(shared.condemned));
  return { content: made.content, change, condemned: shared.condemned };
}
