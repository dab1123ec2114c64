import { Readable } from 'node:stream';
import { BlobNotFoundError } from '../../contracts/blob-store.js';
import { StorageError } from '../../errors.js';

/** The longest delay of a Node timer. */
const LONGEST_MS = 2 ** 31 - 1;

/** Explains why data no longer exists: nothing protects it between the call and the first read. */
export type Explain = (error: BlobNotFoundError) => Promise<unknown>;

/**
 * A stream for a program, which might never read it: nothing is opened before the first read. After
 * that, it fails with RequestTimeout when it is not read for `ms` milliseconds; with 0, it never
 * does.
 */
export function lazyStream(
  bytes: AsyncGenerator<Uint8Array>,
  ms: number,
  explain: Explain,
): Readable {
  const giveUp = () => {
    stream.once('error', () => {}); // There may be no listener; a later read gets the error.
    const message = `This body was not read for ${ms} milliseconds, so its file was closed.`;
    stream.destroy(new StorageError('RequestTimeout', message));
  };
  const chunks = ms === 0 || ms > LONGEST_MS ? bytes : timed(bytes, ms, giveUp);
  const stream = Readable.from(explained(chunks, explain), { objectMode: false, highWaterMark: 0 });
  return stream;
}

/**
 * Limits the time between a chunk and the request for the next one. The time that the disk takes
 * does not count.
 */
async function* timed(
  bytes: AsyncGenerator<Uint8Array>,
  ms: number,
  giveUp: () => void,
): AsyncGenerator<Uint8Array> {
  let waits = false;
  const timer = setTimeout(() => waits && giveUp(), ms).unref();
  try {
    for await (const chunk of bytes) {
      waits = true;
      timer.refresh();
      yield chunk;
      waits = false;
    }
  } finally {
    clearTimeout(timer);
  }
}

async function* explained(
  bytes: AsyncGenerator<Uint8Array>,
  explain: Explain,
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throw error instanceof BlobNotFoundError ? await explain(error) : error;
  }
}
