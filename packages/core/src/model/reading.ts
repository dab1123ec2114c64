import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { BlobNotFoundError, BlobTooShortError } from '../contracts/blob-store.js';
import { isWhole, type Piece, piecesWithin, type Span, wholeOf } from './content.js';
import { BlobDamagedError, type ContentName, type Problem } from './damage.js';
import { inlineKey } from './keys.js';
import type { Content, Inline, Segment } from './records.js';
import type { Store } from './store.js';

/** Up to so many bytes are read, and verified, before an answer begins: a chunk of the drivers. */
const AT_ONCE_BYTES = 256 * 1024;

/**
 * Opens bytes of an object. Once it resolves they stay readable, whatever happens to the object.
 * What is read of whole segments is verified: rejects with BlobDamagedError, or the stream fails
 * with it before the last bytes of the segment. Rejects with BlobNotFoundError when bytes are gone.
 */
export async function openContent(
  store: Store,
  name: ContentName,
  content: Content,
  { start, end }: Span,
): Promise<Uint8Array | Readable> {
  if ('inline' in content) return (await readInline(store, name, content)).subarray(start, end);
  const pieces = await piecesWithin(store, content, { start, end });
  const [first] = pieces;
  if (first === undefined) return new Uint8Array(0);
  const opened = await open(store, name, first);
  const bytes = joined(store, name, opened, pieces);
  if (end - start <= AT_ONCE_BYTES) return collect(bytes);
  const stream = Readable.from(bytes, { objectMode: false });
  stream.once('close', () => opened.destroy()); // A stream that nobody reads has not begun.
  return stream;
}

/** The bytes of a record, verified. */
export async function readInline(
  store: Store,
  name: ContentName,
  { inline, crc32: sum }: Inline,
): Promise<Uint8Array> {
  const entry = await store.metadata.get(inlineKey(inline));
  if (entry === undefined) throw new BlobNotFoundError(inline);
  const bytes = entry.value as Uint8Array;
  if (crc32(bytes) === sum) return bytes;
  const { length } = bytes;
  throw new BlobDamagedError({ ...name, blob: inline, offset: 0, length, problem: 'damaged' });
}

/** Opens and reads a piece; verifies it when it is a whole segment. */
export async function* readPiece(
  store: Store,
  name: ContentName,
  piece: Piece,
): AsyncGenerator<Uint8Array> {
  yield* verified(store, name, piece, await open(store, name, piece));
}

/** Reads a segment for no other reason than to verify it. `onChunk` may set the pace. */
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

async function* joined(
  store: Store,
  name: ContentName,
  opened: Readable,
  [first, ...rest]: readonly Piece[],
): AsyncGenerator<Uint8Array> {
  if (first !== undefined) yield* verified(store, name, first, opened);
  for (const piece of rest) yield* readPiece(store, name, piece);
}

/**
 * A cut connection makes clients ask for the rest as a range, which has no checksum of its own. So
 * a blob that was found damaged is verified as a whole before any more of it is given out.
 */
async function open(store: Store, name: ContentName, piece: Piece): Promise<Readable> {
  if (store.suspects.has(piece.segment.blob)) await verify(store, name, piece.segment);
  return openUnasked(store, name, piece);
}

async function openUnasked(store: Store, name: ContentName, piece: Piece): Promise<Readable> {
  const { segment, offset, length } = piece;
  try {
    return await store.blobs.read(segment.blob, { start: offset, end: offset + length });
  } catch (error) {
    throw told(error, name, segment);
  }
}

/** Holds the last chunk back until the checksum is known, so that damage never looks whole. */
async function* verified(
  store: Store,
  name: ContentName,
  piece: Piece,
  bytes: Readable,
): AsyncGenerator<Uint8Array> {
  const { segment } = piece;
  let sum = 0;
  let held: Uint8Array | undefined;
  try {
    for await (const chunk of bytes as AsyncIterable<Uint8Array>) {
      if (held !== undefined) yield held;
      sum = crc32(chunk, sum);
      held = chunk;
    }
  } catch (error) {
    throw told(error, name, segment);
  }
  if (isWhole(piece)) {
    if (sum !== segment.crc32) {
      suspect(store, segment.blob);
      throw damaged(name, segment, 'damaged');
    }
    store.suspects.delete(segment.blob);
  }
  if (held !== undefined) yield held;
}

/** Damage is remembered of so many blobs; of more, the latest. */
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

const told = (error: unknown, name: ContentName, segment: Segment): unknown =>
  error instanceof BlobTooShortError ? damaged(name, segment, 'short', error) : error;

async function collect(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
}
