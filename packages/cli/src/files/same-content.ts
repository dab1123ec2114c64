import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { partSizeFor } from '@bucketware/client/node';

/** The size of the parts of streams, whose size was unknown when they were sent. */
const STREAMED = partSizeFor();

/**
 * Whether a file has the data of an object, by its ETag: the MD5 of the data, or that of the ETags
 * of the parts. Also false if the object was uploaded in parts of a size that this command does not
 * choose, because then it is unknown.
 */
export async function isSame(path: string, etag: string, signal: AbortSignal): Promise<boolean> {
  const inParts = etag.startsWith('-');
  if (!inParts && !/^[0-9a-f]{32}$/.test(etag)) return false;
  const sizes = new Set([partSizeFor((await stat(path)).size), STREAMED]);
  const sums = inParts ? [...sizes].map((size) => new HashOfParts(size)) : [createHash('md5')];
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024, signal })) {
    for (const sum of sums) sum.update(chunk);
  }
  return sums.some((sum) => sum.digest('hex') === etag.replace('-', ''));
}

/** The hash of an object that was uploaded in parts of one size. */
class HashOfParts {
  readonly #whole = createHash('md5');
  readonly #size: number;
  #part = createHash('md5');
  #room: number;

  constructor(size: number) {
    this.#size = size;
    this.#room = size;
  }

  update(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const taken = chunk.subarray(at, at + this.#room);
      this.#part.update(taken);
      at += taken.length;
      this.#room -= taken.length;
      if (this.#room === 0) this.#endPart();
    }
  }

  digest(encoding: 'hex'): string {
    if (this.#room < this.#size) this.#endPart();
    return this.#whole.digest(encoding);
  }

  #endPart(): void {
    this.#whole.update(this.#part.digest('hex'));
    this.#part = createHash('md5');
    this.#room = this.#size;
  }
}
