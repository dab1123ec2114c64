import type { LifecycleAction, LifecycleRule } from '../records/settings.js';
import type { Tag } from '../records/tags.js';
import { PackedTexts } from './packed-texts.js';
import { PrefixTree, type RulesOfPrefix } from './prefix-tree.js';
import { TagSets } from './tag-sets.js';

const DAY = 24 * 60 * 60 * 1000;
const BYTES_OF_SCHEDULE = 2500;

/** Which rule applies to an object or upload, and when. */
export interface DueAction {
  readonly ruleId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The rules with the same tags, by prefix. */
type ByPrefix = Map<string, RulesOfPrefix>;

/**
 * The enabled rules of a bucket for one action, prepared for comparison with many records. Keeps
 * only what comparisons need.
 */
export class RuleSchedule {
  /** The id of each rule, and its date or delay in milliseconds. */
  readonly #ids: PackedTexts;
  readonly #times: Float64Array;
  /** The rules without tags, followed by those of each set of tags. */
  readonly #tree: PrefixTree;
  readonly #tagSets: TagSets;

  constructor(rules: readonly LifecycleRule[], action: LifecycleAction) {
    const own = rules.filter((rule) => rule.status === 'enabled' && rule.action === action);
    this.#ids = new PackedTexts(own.map(({ id }) => id));
    this.#times = Float64Array.from(own, timeOf);
    this.#tagSets = new TagSets(own.flatMap(({ tags }) => (tags === undefined ? [] : [tags])));
    const groups = Array.from({ length: 1 + this.#tagSets.count }, (): ByPrefix => new Map());
    let tagged = 0;
    for (const [number, { tags, resource, expires }] of own.entries()) {
      const group = tags === undefined ? 0 : 1 + (this.#tagSets.numbers[tagged++] as number);
      const kind = expires?.afterDays === undefined ? 'fixed' : 'delayed';
      this.#collect(groups[group] as ByPrefix, resource.map(prefixOf), kind, number);
    }
    this.#tree = new PrefixTree(groups, (one, other) => this.#sooner(one, other));
  }

  #collect(
    group: ByPrefix,
    prefixes: readonly string[],
    kind: keyof RulesOfPrefix,
    number: number,
  ): void {
    for (const prefix of prefixes) {
      const known = group.get(prefix);
      const first = this.#sooner(known?.[kind], number);
      if (known === undefined || first !== known[kind]) {
        group.set(prefix, { ...known, [kind]: first });
      }
    }
  }

  get isEmpty(): boolean {
    return this.#times.length === 0;
  }

  /** The approximate memory, in bytes. */
  get bytes(): number {
    const parts = this.#ids.bytes + this.#tree.bytes + this.#tagSets.bytes;
    return BYTES_OF_SCHEDULE + this.#times.byteLength + parts;
  }

  /**
   * The rule that takes effect first for an object or upload with this key, time and tags, or
   * `undefined` when none will. Among several at the same time, the first in the bucket's list
   * wins. A rule without a time takes effect immediately.
   */
  firstToAct(key: string, time: number, tags: readonly Tag[] = []): DueAction | undefined {
    let { fixed, delayed } = this.#tree.rulesFor(key, 0);
    for (const set of this.#tagSets.within(tags)) {
      const own = this.#tree.rulesFor(key, set + 1);
      fixed = this.#sooner(fixed, own.fixed);
      delayed = this.#sooner(delayed, own.delayed);
    }
    const first = this.#sooner(fixed, delayed, time);
    if (first === undefined) return undefined;
    const at = (this.#times[first] as number) + (first === delayed ? time : 0);
    return { ruleId: this.#ids.at(first), at };
  }

  /**
   * The rule with the earlier time; if equal, the first in the list. `added` is added to the time
   * of `other`.
   */
  #sooner(one: number | undefined, other: number | undefined, added = 0): number | undefined {
    if (one === undefined || other === undefined) return one ?? other;
    const difference = (this.#times[one] as number) - (this.#times[other] as number) - added;
    if (difference !== 0) return difference < 0 ? one : other;
    return Math.min(one, other);
  }
}

/** The text between the bucket and the final `*`. */
const prefixOf = (resource: string): string =>
  resource.slice(resource.indexOf('/') + 1).replace('*', '');

function timeOf({ expires }: LifecycleRule): number {
  const { afterDays, at = 0 } = expires ?? {};
  return afterDays === undefined ? at : afterDays * DAY;
}
