import { createCipheriv } from 'node:crypto';

const BLOCK_BYTES = 1024 * 1024;

/** Pseudo-random bytes that are the same in every run. */
const BLOCK = createCipheriv('aes-128-ctr', Buffer.alloc(16, 1), Buffer.alloc(16)).update(
  Buffer.alloc(BLOCK_BYTES),
);

/** Content of any size, in blocks that all differ. Each seed produces different content. */
export function* content(size: number, seed = 0): Generator<Uint8Array> {
  for (let start = 0; start < size; start += BLOCK_BYTES) {
    const block = Buffer.from(BLOCK.subarray(0, Math.min(BLOCK_BYTES, size - start)));
    block.writeDoubleLE(start);
    block.writeDoubleLE(seed, 8);
    yield block;
  }
}
