import { BlobNotFoundError } from '../contracts/blob-store.js';
import type { Change } from '../contracts/metadata-store.js';
import { manifestKey } from './keys.js';
import { lengthOf, pack, unpack } from './manifest.js';
import type { Segment, Segments } from './records.js';
import { newId, type Store } from './store.js';

/** From `start` to before `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What a span takes of a segment: `length` bytes from `offset` of the blob on. */
export interface Piece {
  readonly segment: Segment;
  readonly offset: number;
  readonly length: number;
}

/** Only then its checksum says anything about the bytes. */
export const isWhole = ({ segment, length }: Piece): boolean => length === segment.length;

export const wholeOf = (segment: Segment): Piece => {
  const { offset, length } = segment;
  return { segment, offset, length };
};

/** The pieces of segments that lie within the span. */
export async function piecesWithin(
  store: Store,
  content: Segments,
  { start, end }: Span,
): Promise<Piece[]> {
  const pieces: Piece[] = [];
  const take = ({ blob, offset, length, crc32 }: Segment, position: number): void => {
    const from = Math.max(start - position, 0);
    const to = Math.min(end - position, length);
    if (from >= to) return;
    const segment = { blob, offset, length, crc32 };
    pieces.push({ segment, offset: offset + from, length: to - from });
  };
  let position = 0;
  if (content.manifest !== undefined) {
    const manifest = await readManifest(store, content.manifest);
    for (const segment of unpack(manifest, start)) {
      if (segment.skipped >= end) return pieces;
      take(segment, segment.skipped);
    }
    position = lengthOf(manifest);
  }
  for (const segment of content.segments) {
    if (position >= end) break;
    take(segment, position);
    position += segment.length;
  }
  return pieces;
}

export async function allSegments(store: Store, content: Segments): Promise<Segment[]> {
  const everything = { start: 0, end: Number.POSITIVE_INFINITY };
  return (await piecesWithin(store, content, everything)).map(({ segment }) => segment);
}

async function readManifest(store: Store, id: string): Promise<Uint8Array> {
  const entry = await store.metadata.get(manifestKey(id));
  if (entry === undefined) throw new BlobNotFoundError(id);
  return entry.value as Uint8Array;
}

/** Content of these segments, and the part of a change that writes their manifest, if they need one. */
export function asContent(
  { settings }: Store,
  segments: readonly Segment[],
): { content: Segments; change: Change } {
  if (segments.length <= settings.segmentsInRecord) return { content: { segments }, change: {} };
  const manifest = newId();
  const put = [{ key: manifestKey(manifest), value: pack(segments) }];
  return { content: { manifest, segments: [] }, change: { put } };
}

/**
 * Content with one more segment behind it. The manifest is written anew only when the record's own
 * segments are many, so that the cost of an append does not depend on the object.
 */
export async function withSegment(
  store: Store,
  content: Segments,
  segment: Segment,
): Promise<{ content: Segments; change: Change }> {
  const segments = [...content.segments, segment];
  if (segments.length <= store.settings.segmentsInRecord) {
    return { content: { ...content, segments }, change: {} };
  }
  if (content.manifest === undefined) return asContent(store, segments);
  const earlier = [...unpack(await readManifest(store, content.manifest))];
  const { content: joined, change } = asContent(store, [...earlier, ...segments]);
  return { content: joined, change: { ...change, delete: [manifestKey(content.manifest)] } };
}
