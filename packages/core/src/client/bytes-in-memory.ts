import { types } from 'node:util';
import { StorageError } from '../errors.js';

/** A chunk of a body. Text is UTF-8. */
export type Chunk = string | ArrayBuffer | ArrayBufferView;

/** The bytes of a chunk, or undefined for other values. Throws InvalidArgument. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (typeof value === 'string') return Buffer.from(value);
  try {
    // Views of a lost buffer are empty, but `at` throws.
    if (types.isTypedArray(value)) value.at(0);
    if (value instanceof Uint8Array) return value;
    if (ArrayBuffer.isView(value)) {
      return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    }
    return types.isAnyArrayBuffer(value) ? new Uint8Array(value) : undefined;
  } catch {
    throw lost();
  }
}

/** The size of the pieces in which a body in memory is passed on. */
const PIECE_BYTES = 256 * 1024;

/**
 * Copies the bytes: the program may change its own while they are written, and the hashes would no
 * longer match. Throws InvalidArgument if the program transfers them meanwhile.
 */
export async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const { length } = bytes;
  for (let at = 0; at < length; at += PIECE_BYTES) {
    if (bytes.length !== length) throw lost();
    yield Buffer.from(bytes.subarray(at, at + PIECE_BYTES));
  }
}

const lost = () =>
  new StorageError(
    'InvalidArgument',
    'The bytes of the body were transferred to a worker or cut off. Pass a copy instead.',
  );
