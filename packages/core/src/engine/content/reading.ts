import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import {
  BlobNotFoundError,
  BlobTooShortError,
  type ReadOptions,
} from '../../contracts/blob-store.js';
import type { Content, Inline, Segment, Segments } from '../records/content.js';
import { inlineRecords } from '../records/inline-bytes.js';
import type { Store } from '../store.js';
import { CHUNK_BYTES } from './chunk-buffers.js';
import { collect } from './chunks.js';
import { isWhole, type Piece, type Span, segmentsToRead, wholeOf } from './content.js';
import { ContentStream } from './content-stream.js';
import { BlobDamagedError, type ContentName, type Problem } from './damage.js';
import { type Explain, lazyStream } from './lazy-stream.js';

/**
 * Opens data of an object. Once it resolves, the data stays readable, whatever happens to the
 * object. Whole segments are verified: the call rejects with BlobDamagedError, or the stream fails
 * with it before the end of the segment. Rejects with BlobNotFoundError when data is missing.
 * `late`: the first read opens large data, and the stream fails when its reader stops.
 */
export async function openContent(
  store: Store,
  name: ContentName,
  record: Sized,
  { start, end }: Span,
  late?: Explain,
): Promise<Uint8Array | Readable> {
  const { content, size } = record;
  if ('inline' in content)
    return (await readInline(store, name, content, size)).subarray(start, end);
  const list = await segmentsToRead(store, content);
  requireSize(name, record, list);
  const pieces = list.within({ start, end });
  const [first] = pieces;
  const isOne = first === undefined || first.length === end - start;
  // Drivers read it as one chunk, so a stream would gain nothing.
  if (isOne && end - start <= CHUNK_BYTES) return collect(readPieces(store, name, pieces));
  if (late !== undefined) {
    return lazyStream(readPieces(store, name, pieces), store.settings.readTimeout, late);
  }
  const bytes = readPieces(store, name, pieces, { allocate: store.chunkBuffers.take });
  // After its first chunk, the first blob is open. A failure before that becomes an error response.
  const { value } = await bytes.next();
  return new ContentStream(value, bytes, store.chunkBuffers);
}

/** The part of the record of an object, or of a part, that says where its data is. */
export interface Sized {
  readonly content: Content;
  /** In bytes. */
  readonly size: number;
}

/** Throws BlobDamagedError when the record of an object has another size than its segments. */
export function requireSize(
  name: ContentName,
  { content, size }: Sized,
  { size: actual }: { readonly size: number },
): void {
  if (size === actual) return;
  const blob = 'inline' in content ? content.inline : (content.manifest ?? firstBlob(content));
  throw new BlobDamagedError({ ...name, blob, offset: 0, length: actual, problem: 'damaged' });
}

const firstBlob = ({ segments }: Segments): string => segments[0]?.blob ?? 'none';

/** Whether opening data of an object first reads a whole segment, which was found damaged. */
export async function verifiesFirst(store: Store, content: Content, span: Span): Promise<boolean> {
  if (store.suspects.size === 0 || 'inline' in content) return false;
  const [first] = (await segmentsToRead(store, content)).within(span);
  return first !== undefined && store.suspects.has(first.segment.blob);
}

/** The data in a record, verified. */
export async function readInline(
  store: Store,
  name: ContentName,
  content: Inline,
  size: number,
): Promise<Uint8Array> {
  const { inline, crc32: sum } = content;
  const entry = await inlineRecords.get(store.metadata, inline);
  if (entry === undefined) throw new BlobNotFoundError(inline);
  const bytes = entry.value;
  if (crc32(bytes) === sum) {
    requireSize(name, { content, size }, { size: bytes.length });
    return bytes;
  }
  const { length } = bytes;
  throw new BlobDamagedError({ ...name, blob: inline, offset: 0, length, problem: 'damaged' });
}

/** Opens and reads a piece; verifies it when it is a whole segment. */
export async function* readPiece(
  store: Store,
  name: ContentName,
  piece: Piece,
  options?: ReadOptions,
): AsyncGenerator<Uint8Array> {
  yield* verified(store, name, piece, await open(store, name, piece, options));
}

/** Reads a segment only to verify it. `onChunk` may limit the rate. */
export async function verify(
  store: Store,
  name: ContentName,
  segment: Segment,
  onChunk?: (bytes: number) => Promise<void>,
): Promise<void> {
  const piece = wholeOf(segment);
  const opened = await openUnasked(store, name, piece);
  for await (const { length } of verified(store, name, piece, opened)) await onChunk?.(length);
}

/** Opens and reads the pieces in order. */
export async function* readPieces(
  store: Store,
  name: ContentName,
  pieces: Iterable<Piece>,
  options?: ReadOptions,
): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield* readPiece(store, name, piece, options);
}

/**
 * After a closed connection, clients request the rest as a range, which has no checksum of its own.
 * So a blob that was found damaged is verified completely before any more of it is returned.
 */
async function open(
  store: Store,
  name: ContentName,
  piece: Piece,
  options?: ReadOptions,
): Promise<Readable> {
  if (store.suspects.has(piece.segment.blob)) await verify(store, name, piece.segment);
  return openUnasked(store, name, piece, options);
}

async function openUnasked(
  store: Store,
  name: ContentName,
  piece: Piece,
  options?: ReadOptions,
): Promise<Readable> {
  const { segment, offset, length } = piece;
  try {
    return await store.blobs.read(segment.blob, { start: offset, end: offset + length }, options);
  } catch (error) {
    throw asDamage(error, name, segment);
  }
}

/**
 * Compares the checksum before the last chunk is returned, so that damaged data never looks
 * complete.
 */
async function* verified(
  store: Store,
  name: ContentName,
  piece: Piece,
  bytes: Readable,
): AsyncGenerator<Uint8Array> {
  const { segment } = piece;
  const whole = isWhole(piece);
  let [left, sum] = [piece.length, 0];
  try {
    for await (const chunk of bytes as AsyncIterable<Uint8Array>) {
      left -= chunk.length;
      if (whole) sum = crc32(chunk, sum);
      if (whole && left <= 0) compare(store, name, segment, sum);
      yield chunk;
      if (left <= 0) break; // A complete response must not wait for the file to be closed.
    }
  } catch (error) {
    throw asDamage(error, name, segment);
  }
  if (left > 0) throw damaged(name, segment, 'short');
}

function compare(store: Store, name: ContentName, segment: Segment, sum: number): void {
  if (sum === segment.crc32) {
    store.suspects.delete(segment.blob);
    return;
  }
  suspect(store, segment.blob);
  throw damaged(name, segment, 'damaged');
}

/** How many damaged blobs are remembered; the oldest are forgotten. */
const MAX_SUSPECTS = 10_000;

function suspect({ suspects }: Store, blob: string): void {
  suspects.add(blob);
  const [oldest] = suspects;
  if (suspects.size > MAX_SUSPECTS) suspects.delete(oldest as string);
}

const damaged = (name: ContentName, segment: Segment, problem: Problem, cause?: unknown) => {
  const { blob, offset, length } = segment;
  return new BlobDamagedError({ ...name, blob, offset, length, problem }, { cause });
};

const asDamage = (error: unknown, name: ContentName, segment: Segment): unknown =>
  error instanceof BlobTooShortError ? damaged(name, segment, 'short', error) : error;
