import {
  type BodyTimes,
  bodyAlreadyRead,
  createYielder,
  keptBytes,
  type RequestBody,
} from '@bucketware/core/dialect';

/** How many bytes of a body in memory are processed at a time, so that other work gets its turn. */
const PIECE_BYTES = 64 * 1024;

/**
 * The data of a body as it arrives, or the bytes that a body parser of the app has stored.
 * `announced` is the Content-Length. Throws if the parser has stored anything but bytes.
 */
export function arriving(
  body: RequestBody,
  announced: number | undefined,
  times: BodyTimes,
): AsyncIterable<Uint8Array> {
  if (body.parsed === undefined) return body.chunks(times);
  const bytes = keptBytes(body.parsed.value);
  if (bytes !== undefined) return inPieces(bytes);
  if (announced === 0) return inPieces(new Uint8Array());
  throw bodyAlreadyRead();
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const yieldIfDue = createYielder();
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    await yieldIfDue();
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
}
