import { Readable } from 'node:stream';
import { BlobNotFoundError, BlobTooShortError } from '@bucketware/core/contracts';
import type { S3Bucket } from './bucket.js';
import { isRefusal } from './failures.js';
import { brokenOff, ResumedStream, TooLongError } from './read-stream.js';

/** Ranges of up to this many bytes are read at once, so that slow readers occupy no connection. */
const READ_AT_ONCE = 256 * 1024;

interface Range {
  readonly start: number;
  readonly end: number;
}

/** A blob to read. */
export interface Source {
  readonly bucket: S3Bucket;
  readonly id: string;
  readonly key: string;
}

/** Opens a range of a blob. */
export async function openRange(source: Source, range: Range): Promise<Readable> {
  const { bucket, id, key } = source;
  const { start, end } = range;
  try {
    if (start >= end) return await openNothing(source, end);
    return await (end - start <= READ_AT_ONCE ? readAtOnce : openStream)(source, range);
  } catch (error) {
    if (isRefusal(error, 'NoSuchKey')) throw new BlobNotFoundError(id, { cause: error });
    if (!isRefusal(error, 'InvalidRange')) throw error;
    throw new BlobTooShortError(id, (await bucket.sizeOf(key)) ?? 0, end, { cause: error });
  }
}

async function openNothing({ bucket, id, key }: Source, end: number): Promise<Readable> {
  const size = await bucket.sizeOf(key);
  if (size === undefined) throw new BlobNotFoundError(id);
  if (size < end) throw new BlobTooShortError(id, size, end);
  return Readable.from([]);
}

async function readAtOnce({ bucket, id, key }: Source, range: Range): Promise<Readable> {
  const size = range.end - range.start;
  const { bytes, range: found } = await bucket.getFew(key, size, headerOf(range));
  checkRange(id, range, found, bytes.length);
  return Readable.from([bytes], { objectMode: false });
}

async function openStream({ bucket, id, key }: Source, range: Range): Promise<Readable> {
  const open = async (part: Range, etag?: string) => {
    const { Body, ContentRange, ContentLength, ETag } = await bucket.get(key, headerOf(part), etag);
    const body = Body as Readable;
    try {
      checkRange(id, part, ContentRange, ContentLength);
    } catch (error) {
      body.destroy();
      throw error;
    }
    return { body, etag: ETag };
  };
  const { body, etag } = await open(range);
  // A blob never changes. The ETag makes the store confirm that it is still the same.
  const reopen = async (start: number) => (await open({ ...range, start }, etag)).body;
  const { attemptTimeout: dataTimeout, place } = bucket;
  return new ResumedStream({ ...range, body, dataTimeout, reopen, failure: brokenOff(place) });
}

const headerOf = ({ start, end }: Range): string => `bytes=${start}-${end - 1}`;

/** Throws unless the response has exactly the requested bytes. */
function checkRange(
  id: string,
  { start, end }: Range,
  range: string | undefined,
  length: number | undefined,
): void {
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(range ?? '') ?? [];
  const size = total === undefined ? start + (length ?? 0) : Number(total);
  const isAll = first === undefined && start === 0;
  const fits = isAll || (Number(first) === start && Number(last) === Math.min(end, size) - 1);
  if (fits && size < end) throw new BlobTooShortError(id, size, end);
  if (fits && length === end - start) return;
  if (fits && length !== undefined && length > end - start) throw new TooLongError();
  throw new Error(`The store sent ${range ?? 'other bytes'} instead of ${start}-${end - 1}.`);
}
