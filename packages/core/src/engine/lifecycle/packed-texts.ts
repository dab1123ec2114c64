/** What an object or an array takes in memory besides its members. */
const BYTES_OF_OBJECT = 64;

/**
 * Many texts in one: a text of its own takes about 40 bytes more, and may keep the whole record in
 * memory that it was read from.
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

  /** What it takes in memory, approximately. */
  get bytes(): number {
    return bytesOfText(this.#joined) + this.#ends.byteLength + 2 * BYTES_OF_OBJECT;
  }
}

/** Beyond Latin-1, every character of a text takes two bytes. */
export const bytesOfText = (text: string): number =>
  BYTES_OF_OBJECT + (/[^\0-\xff]/.test(text) ? 2 : 1) * text.length;
