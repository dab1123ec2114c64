import {
  type BodyTimes,
  eatenBody,
  givingWay,
  keptBytes,
  type RequestBody,
} from '@bucketware/core/dialect';

/** So many bytes that are at hand are read at a time, as other work needs its turn. */
const PIECE_BYTES = 64 * 1024;

/**
 * The bytes of a body as they arrive, or those that a parser of the host has kept. `announced`:
 * Content-Length. Throws when the parser has kept something else.
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
  throw eatenBody();
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const giveWay = givingWay();
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    await giveWay();
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
}
