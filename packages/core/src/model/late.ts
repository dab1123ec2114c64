import { Readable } from 'node:stream';
import { BlobNotFoundError } from '../contracts/blob-store.js';
import { StorageError } from '../errors.js';

/** Longer than that no timer of Node runs. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * A stream for a program, which may never read it: nothing is opened before the first read. Once it
 * was begun, it fails with RequestTimeout when it is not read for `ms` milliseconds. 0: never.
 */
export function lateStream(bytes: AsyncGenerator<Uint8Array>, ms: number): Readable {
  const giveUp = () => {
    stream.once('error', () => {}); // Nobody may be listening any more. A later read gets it.
    const message = `Nothing was read of this body for ${ms} milliseconds, so its file was closed.`;
    stream.destroy(new StorageError('RequestTimeout', message));
  };
  const chunks = ms === 0 || ms > LONGEST_MS ? bytes : timed(bytes, ms, giveUp);
  const stream = Readable.from(explained(chunks), { objectMode: false, highWaterMark: 0 });
  return stream;
}

/** Counts the time between a chunk and the wish for the next one, and not that of the disk. */
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

async function* explained(bytes: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (cause) {
    if (!(cause instanceof BlobNotFoundError)) throw cause;
    const message =
      'The bytes of this object are gone: it was replaced or deleted since getObject, and the ' +
      'read grace is over. Call getObject again.';
    throw new StorageError('InternalError', message, { cause });
  }
}
