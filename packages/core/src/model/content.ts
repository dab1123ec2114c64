import { Readable } from 'node:stream';
import { BlobNotFoundError } from '../contracts/blob-store.js';
import { inlineKey } from './keys.js';
import type { Content, Segment } from './records.js';
import type { Store } from './store.js';

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
  if ('inline' in content) {
    const entry = await store.metadata.get(inlineKey(content.inline));
    if (entry === undefined) throw new BlobNotFoundError(content.inline);
    return (entry.value as Uint8Array).subarray(span.start, span.end);
  }
  const pieces = cut(content.segments, span);
  const [first, ...rest] = pieces;
  if (first === undefined) return new Uint8Array(0);
  const opened = await open(store, first);
  if (rest.length === 0) return opened;
  return Readable.from(joined(store, opened, rest), { objectMode: false });
}

const open = (store: Store, { blob, offset, length }: Segment) =>
  store.blobs.read(blob, { start: offset, end: offset + length });

async function* joined(store: Store, opened: Readable, rest: readonly Segment[]) {
  yield* opened;
  for (const segment of rest) yield* await open(store, segment);
}

/** The pieces of segments that lie within the span. */
function cut(segments: readonly Segment[], { start, end }: Span): Segment[] {
  const pieces: Segment[] = [];
  let position = 0;
  for (const { blob, offset, length } of segments) {
    const from = Math.max(start - position, 0);
    const to = Math.min(end - position, length);
    if (from < to) pieces.push({ blob, offset: offset + from, length: to - from });
    position += length;
    if (position >= end) break;
  }
  return pieces;
}
