import type { Span } from '../engine/content/content.js';
import { land } from '../engine/content/receive.js';
import { copyingFor } from '../engine/objects/copy-content.js';
import { withObject } from '../engine/objects/objects.js';
import type { ChecksumAlgorithm } from '../engine/records/checksums.js';
import type { UploadRecord } from '../engine/records/uploads.js';
import { checksumOfPart } from '../engine/uploads/part-checksum.js';
import { copyPart } from '../engine/uploads/part-copy.js';
import { putPart, requireUpload } from '../engine/uploads/uploads.js';
import { StorageError } from '../errors.js';
import { MAX_OBJECT_BYTES } from '../limits.js';
import { action } from './action.js';
import type { Conventions } from './conventions.js';
import { requireCopyable } from './parameters/conditions.js';
import { copySource } from './parameters/copy-source.js';
import { text } from './parameters/parameter.js';
import { partNumber, uploadId } from './parameters/part-parameters.js';
import { parseRange, readRange } from './parameters/range.js';

/**
 * Fills a part with up to 5 GB of data from an object: all of it, or a range. Up to 8 MiB are
 * copied; more is shared with the source instead, if it is in one piece. A range is read once for
 * its ETag. Throws NoSuchUpload, NoSuchKey, InvalidRange, EntityTooLarge and, for an appendable
 * source, NotAllowCopy.
 */
export const uploadPartCopy = action({
  name: 'UploadPartCopy',
  on: 'object',
  permission: 'WRITE',
  modifies: true,
  takes: 'nothing',
  parameters: {
    uploadId,
    partNumber,
    ...copySource,
    range: text,
  },

  async run(call) {
    const { store, bucket, permit, key, input } = call;
    const upload = { bucket, key, uploadId: input.uploadId };
    const { record: begun } = await requireUpload(store, upload);
    const original = await call.source('READ', input.source, ({ size }) =>
      sizeOf(input.range, size),
    );
    const from = input.source;
    const copied = await withObject(original, from.key, async (record) => {
      requireCopyable(input, record);
      if (record.type === 'Appendable') throw new StorageError('NotAllowCopy');
      const span = spanOf(input.range, record.size, call.conventions);
      return copyPart(copyingFor(call, from), record, span, computedWith(begun));
    });
    const { content, size, etag, checksum } = copied;
    return land(store, copied, async () => {
      call.signal()?.throwIfAborted();
      const made = { size, etag, ...(checksum && { checksum }), content };
      const part = await putPart(store, permit, upload, input.partNumber, copied, made);
      const { checksum: promised } = begun;
      const shown = promised && checksumOfPart(part, promised.algorithm);
      return { etag, size, checksum: shown, lastModified: new Date(part.lastModified) };
    });
  },
});

/** The checksum to compute for the part. The CRC-32 is known from its content. */
function computedWith({ checksum }: UploadRecord): ChecksumAlgorithm | undefined {
  return checksum?.algorithm === 'crc32' ? undefined : checksum?.algorithm;
}

/** A range outside the object has no size: the copy is rejected later. */
function sizeOf(range: string | undefined, size: number): number | undefined {
  if (range === undefined) return size;
  const span = readRange(range, size);
  return typeof span === 'string' ? undefined : span.end - span.start;
}

function spanOf(range: string | undefined, size: number, { exactPartRanges }: Conventions): Span {
  if (exactPartRanges) requireWithin(range, size);
  const { start, end } = parseRange(range, size) ?? { start: 0, end: size };
  if (end - start > MAX_OBJECT_BYTES) {
    throw new StorageError('EntityTooLarge', 'A part may have at most 5 GB. Use a smaller range.');
  }
  return { start, end };
}

/** Throws InvalidRange when the source ends before the range does. */
function requireWithin(range: string | undefined, size: number): void {
  const last = /^bytes=\d+-(\d+)$/i.exec(range ?? '')?.[1];
  if (last === undefined || Number(last) < size) return;
  const message = `The range is not valid for a source of ${size} bytes.`;
  throw new StorageError('InvalidRange', message, { details: { size } });
}
