import type { LifecycleAction, LifecycleRule } from '../records/settings.js';
import type { Tag } from '../records/tags.js';
import { PackedTexts } from './packed-texts.js';
import { PrefixTree, type RulesOfPrefix, UNTAGGED } from './prefix-tree.js';
import { TagSets } from './tag-sets.js';

const DAY = 24 * 60 * 60 * 1000;
const BYTES_OF_SCHEDULE = 2500;

/** Which rule applies to an object or upload, and when. */
export interface DueAction {
  readonly ruleId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * The enabled rules of a bucket for one action, prepared for comparison with many records. Keeps
 * only what comparisons need.
 */
export class RuleSchedule {
  /** The id of each rule, and its date or delay in milliseconds. */
  readonly #ids: PackedTexts;
  readonly #times: Float64Array;
  readonly #tree: PrefixTree;
  readonly #tagSets: TagSets;

  constructor(rules: readonly LifecycleRule[], action: LifecycleAction) {
    const own = rules.filter((rule) => rule.status === 'enabled' && rule.action === action);
    this.#ids = new PackedTexts(own.map(({ id }) => id));
    this.#times = Float64Array.from(own, timeOf);
    this.#tagSets = new TagSets(own.flatMap(({ tags }) => (tags === undefined ? [] : [tags])));
    const byPrefix = new Map<string, Map<number, RulesOfPrefix>>();
    let tagged = 0;
    for (const [number, { tags, resource, expires }] of own.entries()) {
      const set = tags === undefined ? UNTAGGED : (this.#tagSets.numbers[tagged++] as number);
      const kind = expires?.afterDays === undefined ? 'fixed' : 'delayed';
      for (const prefix of resource.map(prefixOf)) {
        const sets = byPrefix.get(prefix) ?? new Map<number, RulesOfPrefix>();
        const known = sets.get(set);
        byPrefix.set(
          prefix,
          sets.set(set, { ...known, [kind]: this.#sooner(known?.[kind], number) }),
        );
      }
    }
    this.#tree = new PrefixTree(byPrefix, (one, other) => this.#sooner(one, other));
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
    const prefix = this.#tree.find(key);
    let { fixed, delayed } = this.#tree.untaggedAt(prefix);
    const sets = this.#tagSets.within(tags);
    if (sets.size > 0) {
      this.#tree.eachTagged(prefix, sets, (ownFixed, ownDelayed) => {
        fixed = this.#sooner(fixed, ownFixed);
        delayed = this.#sooner(delayed, ownDelayed);
      });
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
