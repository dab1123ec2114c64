import { StorageError } from '../errors.js';

/** No body of the interface is nested deeper than a dozen levels. */
const MAX_DEPTH = 100;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Counts how deep JSON is nested while its bytes come: parsing two megabytes of `[` would take half a
 * second. It need not understand JSON: of what is none, the parser will say so.
 */
export class NestingGuard {
  #depth = 0;
  #inText = false;
  #escaped = false;

  /** Throws InappropriateJSON when the bytes so far are nested too deep. */
  see(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#escaped) this.#escaped = false;
      else if (byte === QUOTE) this.#inText = !this.#inText;
      else if (this.#inText) this.#escaped = byte === BACKSLASH;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#open();
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#depth--;
    }
  }

  #open(): void {
    this.#depth++;
    if (this.#depth <= MAX_DEPTH) return;
    throw new StorageError(
      'InappropriateJSON',
      `The JSON is nested deeper than ${MAX_DEPTH} levels.`,
    );
  }
}
