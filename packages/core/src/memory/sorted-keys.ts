/** Compares well-formed text by its UTF-8 bytes, which is the order of its code points. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/**
 * Orders UTF-16 units by code point: the highest code points have surrogates, which are in the
 * middle of the range.
 */
const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

const MAX_CHUNK = 512;

/** Sorted keys in short chunks, so that an insertion moves few of them. */
export class SortedKeys {
  readonly #chunks: string[][] = [[]];

  add(key: string): void {
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at] as string[];
    chunk.splice(position(chunk, key), 0, key);
    if (chunk.length > MAX_CHUNK) this.#chunks.splice(at + 1, 0, chunk.splice(MAX_CHUNK / 2));
  }

  delete(key: string): void {
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at] as string[];
    const index = position(chunk, key);
    if (chunk[index] !== key) return;
    chunk.splice(index, 1);
    if (chunk.length === 0 && this.#chunks.length > 1) this.#chunks.splice(at, 1);
  }

  /** The keys at or after `start`, in order. */
  *from(start: string): Generator<string> {
    let at = this.#chunkOf(start);
    let index = position(this.#chunks[at] as string[], start);
    for (; at < this.#chunks.length; at++, index = 0) {
      const chunk = this.#chunks[at] as string[];
      for (; index < chunk.length; index++) yield chunk[index] as string;
    }
  }

  /** The last chunk that begins at or before `key`. */
  #chunkOf(key: string): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (compareKeys(this.#chunks[middle]?.[0] as string, key) <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** The index of `key` in the chunk, or where to insert it. */
function position(chunk: readonly string[], key: string): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareKeys(chunk[middle] as string, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
