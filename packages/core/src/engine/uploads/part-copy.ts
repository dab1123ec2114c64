import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { MAX_COPIED_PART_BYTES } from '../../limits.js';
import { startChecksum } from '../content/checksums.js';
import { isWhole, type Piece, type Span, segmentsToRead } from '../content/content.js';
import { readPiece, verify } from '../content/reading.js';
import type { Adopted } from '../content/receive.js';
import { stopOnAbort } from '../content/stop-on-abort.js';
import { type CopySource, copySpan, shareSegments } from '../objects/copy-content.js';
import type { Checksum, ChecksumAlgorithm } from '../records/checksums.js';
import type { Content, Segment, Segments } from '../records/content.js';
import type { ObjectRecord } from '../records/objects.js';

/** Content of a part that no record names yet. */
export interface CopiedPart extends Adopted<Segments> {
  readonly size: number;
  readonly etag: string;
  readonly checksum?: Checksum | undefined;
}

/**
 * The data of a span as one segment, so that an object of many parts has no more segments than
 * parts. One large piece of a blob is shared. A small piece would keep the whole blob alive, and
 * several pieces would be several segments: these are copied.
 */
export async function copyPart(
  source: CopySource,
  object: ObjectRecord,
  span: Span,
  algorithm?: ChecksumAlgorithm,
): Promise<CopiedPart> {
  const { content, size: whole, md5, checksum: kept } = object;
  const size = span.end - span.start;
  await verifyCut(source, content, span);
  const piece = size > MAX_COPIED_PART_BYTES ? await onlyPiece(source, content, span) : undefined;
  if (piece !== undefined) {
    const isAll = size === whole && isWhole(piece);
    const same = kept?.type === 'whole' && kept.algorithm === algorithm ? kept : undefined;
    const { segment, etag, checksum } =
      isAll && md5 !== undefined && (algorithm === undefined || same !== undefined)
        ? {
            segment: piece.segment,
            etag: md5,
            checksum: same && { algorithm: same.algorithm, value: same.value },
          }
        : await source.reading(() => digestsOf(source, piece, algorithm));
    const shared = await shareSegments(source, [segment]);
    return { ...shared, size, etag, checksum };
  }
  const {
    md5: etag,
    checksums: [checksum],
    ...copied
  } = await copySpan(source, object, span, algorithm);
  return { ...copied, size, etag, checksum };
}

async function onlyPiece(
  { store }: CopySource,
  content: Content,
  span: Span,
): Promise<Piece | undefined> {
  if ('inline' in content) return undefined;
  const [first] = (await segmentsToRead(store, content)).within(span);
  return first?.length === span.end - span.start ? first : undefined;
}

/**
 * A piece has no checksum of its own, but its segment has. If the segment is not much larger, it is
 * read as a whole to verify it. Otherwise the piece is not verified.
 */
async function verifyCut(
  { store, name, reading, signal }: CopySource,
  content: Content,
  span: Span,
): Promise<void> {
  if ('inline' in content) return;
  const isMostOf = (piece: Piece): boolean =>
    !isWhole(piece) && piece.segment.length <= 2 * piece.length;
  for (const piece of (await segmentsToRead(store, content)).within(span)) {
    if (!isMostOf(piece)) continue;
    const stillWanted = async () => signal?.throwIfAborted();
    await reading(() => verify(store, name, piece.segment, stillWanted));
  }
}

/** The MD5 of a piece, the requested checksum, and the piece as a segment with its own checksum. */
async function digestsOf(
  { store, name, signal }: CopySource,
  piece: Piece,
  algorithm: ChecksumAlgorithm | undefined,
) {
  const md5 = createHash('md5');
  const running = algorithm && (await startChecksum(algorithm));
  let sum = 0;
  for await (const chunk of stopOnAbort(readPiece(store, name, piece), signal)) {
    md5.update(chunk);
    running?.update(chunk);
    sum = crc32(chunk, sum);
  }
  const { segment, offset, length } = piece;
  const cut: Segment = { blob: segment.blob, offset, length, crc32: sum };
  const checksum = algorithm && running && { algorithm, value: running.done() };
  return { segment: cut, etag: md5.digest('hex'), checksum };
}
