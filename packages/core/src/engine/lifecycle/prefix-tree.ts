import { PackedTexts } from './packed-texts.js';

/** Of the rules for some keys, the numbers of the two that can take effect first. */
export interface RulesOfPrefix {
  /** The rule with the earliest date. */
  readonly fixed?: number | undefined;
  /** The rule with the shortest delay after the last modification. */
  readonly delayed?: number | undefined;
}

/** The rules of one prefix: first those without tags, then those of each set of tags. */
export type RulesBySet = ReadonlyMap<number, RulesOfPrefix>;

/** The number of the rules without tags. Sets of tags are numbered from 1. */
export const UNTAGGED = 0;

/** Which of two rules takes effect first. */
type Sooner = (one: number | undefined, other: number | undefined) => number | undefined;

const NONE = -1;
const NOTHING: RulesOfPrefix = {};

/**
 * Prefixes, and the rules for the keys that start with each. The prefixes are sorted, and each
 * refers to its longest shorter prefix. So a look-up costs one binary search, however many prefixes
 * and sets of tags there are.
 */
export class PrefixTree {
  readonly #prefixes: PackedTexts;
  /** For each prefix, its longest shorter prefix, or none. */
  readonly #parents: Int32Array;
  /** For each prefix, the rules without tags, including those of its parents, or none. */
  readonly #fixed: Int32Array;
  readonly #delayed: Int32Array;
  /** For each prefix, itself or the nearest of its parents that has rules with tags, or none. */
  readonly #tagged: Int32Array;
  /** Where the rules with tags of each prefix end: the set of tags, and the two rules or none. */
  readonly #ends: Uint32Array;
  readonly #rulesWithTags: Int32Array;

  constructor(rules: ReadonlyMap<string, RulesBySet>, sooner: Sooner) {
    const sorted = [...rules.keys()].sort();
    this.#prefixes = new PackedTexts(sorted);
    const column = () => new Int32Array(sorted.length).fill(NONE);
    this.#parents = column();
    this.#fixed = column();
    this.#delayed = column();
    this.#tagged = column();
    this.#ends = new Uint32Array(sorted.length);
    const withTags: number[] = [];
    const around: number[] = [];
    for (const [at, prefix] of sorted.entries()) {
      while (around.length > 0 && !prefix.startsWith(sorted[around.at(-1) as number] as string)) {
        around.pop();
      }
      const parent = around.at(-1) ?? NONE;
      const sets = rules.get(prefix) as RulesBySet;
      const own = sets.get(UNTAGGED) ?? NOTHING;
      const outer = this.untaggedAt(parent);
      this.#parents[at] = parent;
      this.#fixed[at] = sooner(own.fixed, outer.fixed) ?? NONE;
      this.#delayed[at] = sooner(own.delayed, outer.delayed) ?? NONE;
      const start = withTags.length;
      for (const [set, { fixed = NONE, delayed = NONE }] of sets) {
        if (set !== UNTAGGED) withTags.push(set, fixed, delayed);
      }
      this.#tagged[at] = withTags.length > start ? at : (this.#tagged[parent] ?? NONE);
      this.#ends[at] = withTags.length;
      around.push(at);
    }
    this.#rulesWithTags = Int32Array.from(withTags);
  }

  /** The longest prefix of a key, or none. */
  find(key: string): number {
    let [low, high] = [0, this.#parents.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#prefixes.at(middle) <= key) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return NONE;
    // Every prefix of the key is either the last one that sorts at or before the key, or a parent
    // of that one.
    let at = low - 1;
    const common = commonLength(this.#prefixes.at(at), key);
    while (at !== NONE && this.#prefixes.lengthAt(at) > common) at = this.#parents[at] as number;
    return at;
  }

  /** The rules without tags of a prefix and its parents. */
  untaggedAt(at: number): RulesOfPrefix {
    if (at === NONE) return NOTHING;
    return { fixed: numberIn(this.#fixed[at]), delayed: numberIn(this.#delayed[at]) };
  }

  /** Calls `use` with the rules of a prefix and its parents whose set of tags is among these. */
  eachTagged(
    from: number,
    sets: ReadonlySet<number>,
    use: (fixed: number | undefined, delayed: number | undefined) => void,
  ): void {
    const rules = this.#rulesWithTags;
    for (let at = this.#tagged[from] ?? NONE; at !== NONE; ) {
      const end = this.#ends[at] as number;
      for (let one = at === 0 ? 0 : (this.#ends[at - 1] as number); one < end; one += 3) {
        if (sets.has(rules[one] as number)) use(numberIn(rules[one + 1]), numberIn(rules[one + 2]));
      }
      at = this.#tagged[this.#parents[at] as number] ?? NONE;
    }
  }

  /** The approximate memory, in bytes. */
  get bytes(): number {
    const columns = 4 * this.#parents.byteLength + this.#ends.byteLength;
    return this.#prefixes.bytes + columns + this.#rulesWithTags.byteLength;
  }
}

const numberIn = (found: number | undefined): number | undefined =>
  found === NONE ? undefined : found;

/** The length of the common beginning of two texts. */
function commonLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  for (let at = 0; at < most; at++) if (one.charCodeAt(at) !== other.charCodeAt(at)) return at;
  return most;
}
