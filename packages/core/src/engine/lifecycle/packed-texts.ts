/** The approximate memory of an object or an array, without its members, in bytes. */
const BYTES_OF_OBJECT = 64;

/**
 * Many texts packed into one. A separate text takes about 40 more bytes, and may keep in memory the
 * whole record that it was read from.
 */
export class PackedTexts {
  readonly #joined: string;
  /** Where each text ends. */
  readonly #ends: Uint32Array;

  constructor(texts: readonly string[]) {
    this.#joined = texts.join('');
    this.#ends = new Uint32Array(texts.length);
    let end = 0;
    for (const [at, text] of texts.entries()) {
      end += text.length;
      this.#ends[at] = end;
    }
  }

  at(index: number): string {
    const start = index === 0 ? 0 : (this.#ends[index - 1] as number);
    return this.#joined.slice(start, this.#ends[index]);
  }

  lengthAt(index: number): number {
    return (this.#ends[index] as number) - (index === 0 ? 0 : (this.#ends[index - 1] as number));
  }

  /** The approximate memory, in bytes. */
  get bytes(): number {
    return bytesOfText(this.#joined) + this.#ends.byteLength + 2 * BYTES_OF_OBJECT;
  }
}

/** If a text has any character beyond Latin-1, each of its characters takes two bytes. */
export const bytesOfText = (text: string): number =>
  BYTES_OF_OBJECT + (/[^\0-\xff]/.test(text) ? 2 : 1) * text.length;
