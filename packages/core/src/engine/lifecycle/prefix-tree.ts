import { PackedTexts } from './packed-texts.js';

/** Of the rules for some keys, the numbers of the two that can take effect first. */
export interface RulesOfPrefix {
  /** The rule with the earliest date. */
  readonly fixed?: number | undefined;
  /** The rule with the shortest delay after the last modification. */
  readonly delayed?: number | undefined;
}

/** Which of two rules takes effect first. */
type Sooner = (one: number | undefined, other: number | undefined) => number | undefined;

const NONE = -1;
const NOTHING: RulesOfPrefix = {};

/**
 * Groups of prefixes, and the rules for the keys that start with each. The prefixes of a group are
 * sorted, and each refers to its longest shorter prefix in the group. So a look-up costs one binary
 * search, however many prefixes there are.
 */
export class PrefixTree {
  readonly #prefixes: PackedTexts;
  /** Where each group ends. */
  readonly #ends: Uint32Array;
  /** For each prefix, its longest shorter prefix, or none. */
  readonly #parents: Int32Array;
  /** For each prefix, the rules that apply to it, including those of its parents, or none. */
  readonly #fixed: Int32Array;
  readonly #delayed: Int32Array;

  constructor(groups: readonly ReadonlyMap<string, RulesOfPrefix>[], sooner: Sooner) {
    const sorted = groups.map((group) => [...group.keys()].sort());
    const all = sorted.flat();
    this.#prefixes = new PackedTexts(all);
    this.#ends = new Uint32Array(groups.length);
    this.#parents = new Int32Array(all.length).fill(NONE);
    this.#fixed = new Int32Array(all.length).fill(NONE);
    this.#delayed = new Int32Array(all.length).fill(NONE);
    let at = 0;
    for (const [group, prefixes] of sorted.entries()) {
      const around: { readonly prefix: string; readonly at: number }[] = [];
      for (const prefix of prefixes) {
        while (around.length > 0 && !prefix.startsWith(around.at(-1)?.prefix as string)) {
          around.pop();
        }
        const parent = around.at(-1)?.at ?? NONE;
        const own = groups[group]?.get(prefix) ?? NOTHING;
        const outer = this.#rulesAt(parent);
        this.#parents[at] = parent;
        this.#fixed[at] = sooner(own.fixed, outer.fixed) ?? NONE;
        this.#delayed[at] = sooner(own.delayed, outer.delayed) ?? NONE;
        around.push({ prefix, at });
        at++;
      }
      this.#ends[group] = at;
    }
  }

  /** The rules of a group for a key. */
  rulesFor(key: string, group: number): RulesOfPrefix {
    const start = group === 0 ? 0 : (this.#ends[group - 1] as number);
    const end = this.#ends[group] as number;
    let [low, high] = [start, end];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#prefixes.at(middle) <= key) low = middle + 1;
      else high = middle;
    }
    if (low === start) return NOTHING;
    // Every prefix of the key is either the last one that sorts at or before the key, or a parent
    // of that one.
    let at = low - 1;
    const common = commonLength(this.#prefixes.at(at), key);
    while (at !== NONE && this.#prefixes.lengthAt(at) > common) at = this.#parents[at] as number;
    return this.#rulesAt(at);
  }

  #rulesAt(at: number): RulesOfPrefix {
    if (at === NONE) return NOTHING;
    return { fixed: numberIn(this.#fixed[at]), delayed: numberIn(this.#delayed[at]) };
  }

  /** The approximate memory, in bytes. */
  get bytes(): number {
    return this.#prefixes.bytes + this.#ends.byteLength + 3 * this.#parents.byteLength;
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
