import { StorageError } from '../errors.js';

/** No body of the interface is nested deeper than a dozen levels. */
export const MAX_DEPTH = 100;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Measures JSON while it arrives: parsing two megabytes of `[`, or of `{"a":0},{"b":0}`, would
 * block all other requests. It does not validate the JSON; the parser does that.
 */
export class StructureGuard {
  readonly #most: number;
  #count = 0;
  #depth = 0;
  #inText = false;
  #escaped = false;

  /** `most`: the {@link JsonBody.maxStructural} of the body. */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  /** Throws InappropriateJSON when the JSON so far is nested too deeply or has too many members. */
  see(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#escaped) this.#escaped = false;
      else if (byte === QUOTE) this.#inText = !this.#inText;
      else if (this.#inText) this.#escaped = byte === BACKSLASH;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#open();
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#depth--;
      else if (byte === COMMA || byte === COLON) this.#count++;
    }
    if (this.#count <= this.#most) return;
    const message = `The JSON has more than ${this.#most} commas, colons and opening brackets.`;
    throw new StorageError('InappropriateJSON', message);
  }

  #open(): void {
    this.#count++;
    this.#depth++;
    if (this.#depth <= MAX_DEPTH) return;
    throw new StorageError(
      'InappropriateJSON',
      `The JSON is nested deeper than ${MAX_DEPTH} levels.`,
    );
  }
}
