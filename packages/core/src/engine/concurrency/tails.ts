import { NamedLock } from './lock.js';

/** A segment of an object: which blob its data is in, and where. */
interface Segment {
  readonly blob: string;
  readonly offset: number;
  readonly length: number;
}

/** For how many blobs the end is remembered. */
const MAX_ENDS = 10_000;

/**
 * The last blobs of appendable objects, of those to which this opening writes. Each takes one append
 * at a time.
 */
export class Tails {
  readonly lock = new NamedLock();
  readonly #sealed = new Set<string>();
  /** Up to where this opening has committed, for the blobs that grew most recently. */
  readonly #ends = new Map<string, number>();

  /** Nothing may be written to the blob again: what is in it after its end is unknown. */
  seal(blob: string): void {
    this.#sealed.add(blob);
    this.#ends.delete(blob);
  }

  committed(blob: string, end: number): void {
    this.#ends.delete(blob);
    this.#ends.set(blob, end);
    const [oldest] = this.#ends.size > MAX_ENDS ? this.#ends.keys() : [];
    if (oldest !== undefined) this.#ends.delete(oldest);
  }

  isSealed(blob: string): boolean {
    return this.#sealed.has(blob);
  }

  /**
   * Whether a record ends earlier than was committed. If it was read under the lock, the database
   * was restored to an earlier time, and a later record may still need what follows.
   */
  isBehind({ blob, offset, length }: Segment): boolean {
    return (this.#ends.get(blob) ?? 0) > offset + length;
  }
}
