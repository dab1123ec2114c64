import { Readable } from 'node:stream';
import { BlobNotFoundError } from '../contracts/blob-store.js';
import type { Change } from '../contracts/metadata-store.js';
import { inlineKey, manifestKey } from './keys.js';
import { lengthOf, pack, unpack } from './manifest.js';
import type { Content, Segment, Segments } from './records.js';
import { newId, type Store } from './store.js';

/** From `start` to before `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Opens bytes of an object. Once it resolves they stay readable, whatever happens to the object.
 * Rejects with BlobNotFoundError when they are gone already.
 */
export async function openContent(
  store: Store,
  content: Content,
  span: Span,
): Promise<Uint8Array | Readable> {
  if ('inline' in content)
    return (await readInline(store, content.inline)).subarray(span.start, span.end);
  const [first, ...rest] = await segmentsWithin(store, content, span);
  if (first === undefined) return new Uint8Array(0);
  const opened = await open(store, first);
  if (rest.length === 0) return opened;
  return Readable.from(joined(store, opened, rest), { objectMode: false });
}

export async function readInline(store: Store, id: string): Promise<Uint8Array> {
  const entry = await store.metadata.get(inlineKey(id));
  if (entry === undefined) throw new BlobNotFoundError(id);
  return entry.value as Uint8Array;
}

const open = (store: Store, { blob, offset, length }: Segment) =>
  store.blobs.read(blob, { start: offset, end: offset + length });

async function* joined(store: Store, opened: Readable, rest: readonly Segment[]) {
  try {
    yield* opened;
    for (const segment of rest) {
      opened = await open(store, segment);
      yield* opened;
    }
  } finally {
    opened.destroy();
  }
}

/** The pieces of segments that lie within the span. */
export async function segmentsWithin(
  store: Store,
  content: Segments,
  { start, end }: Span,
): Promise<Segment[]> {
  const pieces: Segment[] = [];
  const take = ({ blob, offset, length }: Segment, position: number): void => {
    const from = Math.max(start - position, 0);
    const to = Math.min(end - position, length);
    if (from < to) pieces.push({ blob, offset: offset + from, length: to - from });
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
