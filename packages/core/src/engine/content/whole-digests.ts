import { crc32 } from 'node:zlib';
import { createMD5 } from 'hash-wasm';
import type { WholeDigests } from '../hashing.js';
import { type SavedHash, SavedHashes } from './saved-hash.js';

/** node:crypto cannot save the state of a hash, so this MD5 is WebAssembly. */
const md5s = new SavedHashes(createMD5);

/** The digests of a whole growing object, computed by hashing only the added data. */
export class RunningDigests {
  #md5: SavedHash;
  #crc32: number;

  /** Without `from`: digests of no data yet. Rejects when the state is invalid. */
  static async start(from?: Pick<WholeDigests, 'state' | 'crc32'>): Promise<RunningDigests> {
    return new RunningDigests(await md5s.begin(from?.state), from?.crc32 ?? 0);
  }

  private constructor(md5: SavedHash, from: number) {
    this.#md5 = md5;
    this.#crc32 = from;
  }

  update(bytes: Uint8Array): void {
    this.#md5.update(bytes);
    this.#crc32 = crc32(bytes, this.#crc32);
  }

  /** Continues where another thread has stopped. */
  async moveTo({ state, crc32 }: WholeDigests): Promise<void> {
    this.#md5 = await md5s.begin(state);
    this.#crc32 = crc32;
  }

  done(): WholeDigests {
    return { md5: this.#md5.hex(), crc32: this.#crc32, state: this.#md5.state };
  }
}
