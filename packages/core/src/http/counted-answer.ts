import { Readable } from 'node:stream';
import {
  MemoryShare,
  type SharedMemory,
  tooMuchMemory,
} from '../engine/concurrency/memory-share.js';
import type { StorageResponse } from './message.js';

/** Responses up to this size are not counted: they fit into the buffers of a connection. */
const PIECE_BYTES = 64 * 1024;

/**
 * A response to a client that might not read it. The memory of a large one is counted until its
 * last chunk is read. Throws SlowDown when the responses of the caller take too much,
 * unless the request made a change: its client must learn the result.
 */
export function counted(
  response: StorageResponse,
  memory: SharedMemory,
  callerOf: () => string,
  changed: boolean,
): StorageResponse {
  const { body } = response;
  if (!(body instanceof Uint8Array) || body.length <= PIECE_BYTES) return response;
  const share = new MemoryShare(memory, callerOf());
  if (!share.take(body.length)) {
    if (!changed) throw tooMuchMemory('responses');
    share.overdraw(body.length);
  }
  const stream = Readable.from(piecesOf(body), { objectMode: false });
  // Also released when the stream is not read to its end.
  stream.once('close', () => share.release());
  return { ...response, body: stream };
}

/** Yields copies, because a chunk that waits in a buffer must not keep the whole body in memory. */
function* piecesOf(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.length; at += PIECE_BYTES) {
    yield Buffer.from(body.subarray(at, at + PIECE_BYTES));
  }
}
