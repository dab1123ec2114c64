import { SignatureError } from '../errors.js';
import { EMPTY_SHA256, hmacHex, isSame, sha256Hex } from '../hashes.js';
import { ALGORITHM } from './scope.js';

/**
 * The chain of signatures of a body. Each covers the previous one; the first covers that of the
 * request.
 */
export class ChunkSigning {
  readonly #key: Uint8Array;
  readonly #place: string;
  #previous: string;

  constructor(key: Uint8Array, timestamp: string, scope: string, seed: string) {
    this.#key = key;
    this.#place = `${timestamp}\n${scope}`;
    this.#previous = seed;
  }

  /** `hash`: the SHA-256 of the chunk's data in hex. */
  verifyChunk(signature: string, hash: string): void {
    this.#verify(signature, `${ALGORITHM}-PAYLOAD`, `${EMPTY_SHA256}\n${hash}`);
  }

  /** `text`: the trailing headers, each as `name:value` and a line feed. */
  verifyTrailer(signature: string, text: string): void {
    this.#verify(signature, `${ALGORITHM}-TRAILER`, sha256Hex(text));
  }

  #verify(signature: string, algorithm: string, what: string): void {
    const text = `${algorithm}\n${this.#place}\n${this.#previous}\n${what}`;
    if (!isSame(signature, hmacHex(this.#key, text))) {
      throw new SignatureError('SignatureDoesNotMatch', 'The signature of a chunk does not match.');
    }
    this.#previous = signature;
  }
}
