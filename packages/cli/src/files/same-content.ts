import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** The size of a part, unless the uploader chose another. */
const PART = 8 * 1024 * 1024;

/** Whether the parts of an upload of this many bytes have that size. */
export const isComparable = (size: number): boolean => size <= 10_000 * PART;

/**
 * Whether a file has the data of an object, by its ETag: the MD5 of the data, or that of the ETags
 * of the parts. Also false if the parts have another size, because then it is unknown.
 */
export async function isSame(path: string, etag: string, signal: AbortSignal): Promise<boolean> {
  const inParts = etag.startsWith('-');
  if (!inParts && !/^[0-9a-f]{32}$/.test(etag)) return false;
  const file = createReadStream(path, { highWaterMark: 1024 * 1024, signal });
  return (await (inParts ? ofParts(file) : ofAll(file))) === etag.replace('-', '');
}

async function ofAll(file: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('md5');
  for await (const chunk of file) hash.update(chunk);
  return hash.digest('hex');
}

async function ofParts(file: AsyncIterable<Buffer>): Promise<string> {
  const whole = createHash('md5');
  let part = createHash('md5');
  let room = PART;
  const end = () => {
    whole.update(part.digest('hex'));
    part = createHash('md5');
    room = PART;
  };
  for await (const chunk of file) {
    for (let at = 0; at < chunk.length; ) {
      const taken = chunk.subarray(at, at + room);
      part.update(taken);
      at += taken.length;
      room -= taken.length;
      if (room === 0) end();
    }
  }
  if (room < PART) end();
  return whole.digest('hex');
}
