import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { StorageError } from '../errors.js';
import { copySource, requireCopyable, sourceConditions } from '../http/copy-source.js';
import { isoSeconds } from '../http/dates.js';
import { header, text } from '../http/fields.js';
import { operation } from '../http/operation.js';
import { partNumber, uploadId } from '../http/part-input.js';
import { parseRange } from '../http/range.js';
import { json } from '../http/render.js';
import { MAX_OBJECT_BYTES } from '../limits.js';
import { isWhole, type Piece, piecesWithin, type Span } from '../model/content.js';
import type { ContentName } from '../model/damage.js';
import { pardon } from '../model/garbage.js';
import { withObject } from '../model/objects.js';
import { openContent, readPiece, verify } from '../model/reading.js';
import { adoptedSegments, land, receive } from '../model/receive.js';
import type { ObjectRecord, Segment } from '../model/records.js';
import { shareSegments } from '../model/share.js';
import type { Store } from '../model/store.js';
import { putPart, requireUpload } from '../model/uploads.js';

/**
 * A part is made of so many shared segments at most, 16 by default; of more it becomes one blob of
 * its own.
 */
const mostShared = ({ settings }: Store): number => Math.ceil(settings.segmentsInRecord / 4);

/**
 * Fills a part with an object's bytes, or with a range of them. Bytes are shared, not moved; a
 * range is read once for its ETag. Each call takes up to 5 GB.
 */
export const uploadPartCopy = operation({
  name: 'UploadPartCopy',
  route: {
    method: 'PUT',
    on: 'object',
    query: ['partNumber', 'uploadId'],
    headers: ['x-svc-copy-source'],
  },
  permission: 'WRITE',
  modifies: true,
  takes: 'nothing',
  slow: true,
  input: {
    uploadId,
    partNumber,
    ...copySource,
    ...sourceConditions,
    range: header('x-svc-copy-source-range', text),
  },

  async run({ store, bucket, permit, key, input, source }) {
    const upload = { bucket, key, uploadId: input.uploadId };
    await requireUpload(store, upload);
    const original = await source('READ', input.source);
    const from = input.source;
    const copied = await withObject(store, original, from.key, async (record) => {
      requireCopyable(input, record);
      if (record.type === 'Appendable') throw new StorageError('NotAllowCopy');
      const span = spanOf(input.range, record.size);
      return copyBytes(store, from, record, span);
    });
    const { content, change, size, etag } = copied;
    return land(store, copied, async () => {
      const made = { size, etag, content };
      const part = await putPart(store, permit, upload, input.partNumber, change, made);
      return { etag, size, lastModified: new Date(part.lastModified) };
    });
  },

  // The interface writes eTag and ETag.
  respond: ({ etag, lastModified }) =>
    json(200, { eTag: etag, ETag: etag, lastModified: isoSeconds(+lastModified) }),
});

function spanOf(range: string | undefined, size: number): Span {
  const span = parseRange(range, size);
  if (span === undefined && range !== undefined) {
    throw new StorageError('InvalidRange', 'Write the range as bytes=0-9, bytes=10- or bytes=-5.');
  }
  const { start, end } = span ?? { start: 0, end: size };
  if (end - start > MAX_OBJECT_BYTES) {
    throw new StorageError('EntityTooLarge', 'One part takes 5 GB. Name a smaller range.');
  }
  return { start, end };
}

/** The bytes of a span as content of a part that no record names yet. */
async function copyBytes(store: Store, name: ContentName, record: ObjectRecord, span: Span) {
  const size = span.end - span.start;
  const pieces = 'inline' in record.content ? [] : await piecesWithin(store, record.content, span);
  for (const piece of pieces) {
    if (isMostOf(piece)) await verify(store, name, piece.segment);
  }
  if (size > 0 && (pieces.length === 0 || pieces.length > mostShared(store))) {
    const opened = await openContent(store, name, record.content, span);
    const source = opened instanceof Readable ? opened : Readable.from([opened]);
    const body = { source, length: size };
    const received = await receive(store, body, { limit: size, memory: 0, expected: {} });
    return { ...received, ...adoptedSegments(received), etag: received.digests.md5 };
  }
  const known = size === record.size ? record.md5 : undefined;
  const taken =
    known === undefined
      ? await read(store, name, pieces)
      : { etag: known, segments: pieces.map(({ segment }) => segment) };
  const { segments, condemned } = await shareSegments(store, taken.segments);
  return { content: { segments }, change: pardon(condemned), condemned, size, etag: taken.etag };
}

/**
 * A piece has no checksum that it could be verified by, its segment has. To read that as well is
 * worth it when it is not much more; else the part gets what the disk gives.
 */
const isMostOf = (piece: Piece): boolean =>
  !isWhole(piece) && piece.segment.length <= 2 * piece.length;

/** The MD5 of pieces, and the pieces as segments with checksums of their own. */
async function read(store: Store, name: ContentName, pieces: readonly Piece[]) {
  const md5 = createHash('md5');
  const segments: Segment[] = [];
  for (const piece of pieces) {
    let sum = 0;
    for await (const chunk of readPiece(store, name, piece)) {
      md5.update(chunk);
      sum = crc32(chunk, sum);
    }
    const { segment, offset, length } = piece;
    segments.push({ blob: segment.blob, offset, length, crc32: sum });
  }
  return { etag: md5.digest('hex'), segments };
}
