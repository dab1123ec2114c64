import type { Tag } from '../records/tags.js';
import { bytesOfText } from './packed-texts.js';

const BYTES_OF_TAG = 64;
const BYTES_OF_SET = 200;

/**
 * The sets of tags that rules require, numbered from 1 in the order of insertion. Each set is
 * indexed under its rarest tag, so an object is compared with few of them.
 */
export class TagSets {
  /** A number for each tag. */
  readonly #tags = new Map<string, number>();
  readonly #sets = new Map<number, readonly number[]>();
  /** The sets to compare with objects that have a tag. */
  readonly #byTag = new Map<number, number[]>();
  /** The number of the set for each given list. The lists are not empty. */
  readonly numbers: Uint32Array;

  constructor(given: readonly (readonly Tag[])[]) {
    const known = new Map<string, number>();
    const counts: number[] = [];
    this.numbers = Uint32Array.from(given, (tags) => {
      const own = tags.map((tag) => this.#numberFor(tag)).sort((one, other) => one - other);
      const name = own.join();
      const earlier = known.get(name);
      if (earlier !== undefined) return earlier;
      const number = 1 + known.size;
      known.set(name, number);
      this.#sets.set(number, own);
      for (const tag of own) counts[tag] = (counts[tag] ?? 0) + 1;
      return number;
    });
    for (const [number, own] of this.#sets) {
      const rarest = own.reduce((one, other) =>
        (counts[other] as number) < (counts[one] as number) ? other : one,
      );
      const others = this.#byTag.get(rarest);
      if (others === undefined) this.#byTag.set(rarest, [number]);
      else others.push(number);
    }
  }

  #numberFor(tag: Tag): number {
    const name = nameOf(tag);
    const known = this.#tags.get(name);
    if (known !== undefined) return known;
    this.#tags.set(name, this.#tags.size);
    return this.#tags.size - 1;
  }

  /** The numbers of the sets all of whose tags an object has. */
  within(tags: readonly Tag[]): ReadonlySet<number> {
    if (this.#sets.size === 0 || tags.length === 0) return NO_SETS;
    const found = new Set<number>();
    const given = new Set<number>();
    for (const tag of tags) {
      const number = this.#tags.get(nameOf(tag));
      if (number !== undefined) given.add(number);
    }
    for (const tag of given) {
      for (const number of this.#byTag.get(tag) ?? []) {
        if (this.#sets.get(number)?.every((wanted) => given.has(wanted))) found.add(number);
      }
    }
    return found;
  }

  /** The approximate memory, in bytes. */
  get bytes(): number {
    let bytes = this.numbers.byteLength;
    for (const name of this.#tags.keys()) bytes += BYTES_OF_TAG + bytesOfText(name);
    for (const { length } of this.#sets.values()) bytes += BYTES_OF_SET + 8 * length;
    return bytes;
  }
}

const NO_SETS: ReadonlySet<number> = new Set();

/** Tags cannot contain NUL. */
const nameOf = ([key, value]: Tag): string => `${key}\0${value}`;
