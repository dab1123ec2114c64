import { BlobNotFoundError } from '../../contracts/blob-store.js';
import type { Change } from '../../contracts/metadata-store.js';
import type { Segment, Segments } from '../records/content.js';
import { countOf, lengthOf, pack, unpack } from '../records/manifest.js';
import { manifestRecords } from '../records/manifests.js';
import { newId, type Store } from '../store.js';

/** From `start` up to, but not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The part of a segment within a span: `length` bytes of the blob, starting at `offset`. */
export interface Piece {
  readonly segment: Segment;
  readonly offset: number;
  readonly length: number;
}

/** Whether it is a whole segment: only then can its checksum be verified. */
export const isWhole = ({ segment, length }: Piece): boolean => length === segment.length;

export const wholeOf = (segment: Segment): Piece => {
  const { offset, length } = segment;
  return { segment, offset, length };
};

/**
 * The segments of an object. Its manifest stays packed, with 32 bytes for each segment, and is
 * unpacked during iteration: an object may have thousands of segments, and many concurrent readers.
 */
export class SegmentList implements Iterable<Segment> {
  readonly count: number;
  readonly #manifest: Uint8Array;
  readonly #more: readonly Segment[];

  constructor(manifest: Uint8Array, more: readonly Segment[]) {
    this.#manifest = manifest;
    this.#more = more;
    this.count = countOf(manifest) + more.length;
  }

  /** In bytes. */
  get size(): number {
    return this.#more.reduce((sum, { length }) => sum + length, lengthOf(this.#manifest));
  }

  *[Symbol.iterator](): Generator<Segment> {
    yield* unpack(this.#manifest);
    yield* this.#more;
  }

  /** The pieces of segments that lie within the span. */
  within(span: Span): Iterable<Piece> {
    return { [Symbol.iterator]: () => this.#pieces(span) };
  }

  *#pieces({ start, end }: Span): Generator<Piece> {
    const cut = ({ blob, offset, length, crc32 }: Segment, position: number): Piece => {
      const from = Math.max(start - position, 0);
      const to = Math.min(end - position, length);
      const segment = { blob, offset, length, crc32 };
      return { segment, offset: offset + from, length: to - from };
    };
    for (const segment of unpack(this.#manifest, start)) {
      if (segment.skipped >= end) return;
      const piece = cut(segment, segment.skipped);
      if (piece.length > 0) yield piece;
    }
    let position = lengthOf(this.#manifest);
    for (const segment of this.#more) {
      if (position >= end) return;
      const piece = cut(segment, position);
      if (piece.length > 0) yield piece;
      position += segment.length;
    }
  }
}

const NO_MANIFEST = new Uint8Array();

/** Rejects with BlobNotFoundError when the manifest was dropped meanwhile. */
export async function segmentsOf(
  store: Store,
  { manifest: id, segments }: Segments,
): Promise<SegmentList> {
  const manifest = id === undefined ? NO_MANIFEST : await readManifest(store, id);
  return new SegmentList(manifest, segments);
}

async function readManifest({ metadata }: Store, id: string): Promise<Uint8Array> {
  const entry = await manifestRecords.get(metadata, id);
  if (entry === undefined) throw new BlobNotFoundError(id);
  return entry.value;
}

/** The same for a download or a copy. Those at the same time share a manifest, which never changes. */
export async function segmentsToRead(store: Store, content: Segments): Promise<SegmentList> {
  const { manifest: id, segments } = content;
  if (id === undefined) return segmentsOf(store, content);
  const manifest = await store.keptManifests.get({ id }, () => readManifest(store, id));
  return new SegmentList(manifest as Uint8Array, segments);
}

/**
 * Content of these segments, and the part of a change that writes their manifest, if they need one.
 * The last `last` segments are never moved to the manifest.
 */
export function asContent(
  { settings }: Store,
  segments: readonly Segment[],
  last: readonly Segment[] = [],
): { content: Segments; change: Change } {
  const all = [...segments, ...last];
  if (all.length <= settings.segmentsInRecord) return { content: { segments: all }, change: {} };
  const manifest = newId();
  const change = manifestRecords.put(manifest, pack(segments));
  return { content: { manifest, segments: last }, change };
}
