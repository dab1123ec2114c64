import type { LifecycleAction, LifecycleRule } from '../records/settings.js';
import type { Tag } from '../records/tags.js';
import { TaggedRules } from './tagged-rules.js';

const DAY = 24 * 60 * 60 * 1000;

/** Which rule applies to something, and when. */
export interface DueAction {
  readonly rule: LifecycleRule;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A rule with its position in the bucket's list, and its date or delay in milliseconds. */
interface Timed {
  readonly rule: LifecycleRule;
  readonly rank: number;
  readonly time: number;
}

/** The two of all rules for some keys that can be the first to take effect. */
interface Earliest {
  /** The earliest date. */
  readonly fixed?: Timed | undefined;
  /** The shortest delay after the last modification. */
  readonly delayed?: Timed | undefined;
}

/** The rules for keys from `from` on, up to the next border. */
interface Border {
  readonly from: string;
  readonly earliest: Earliest;
}

/**
 * The enabled rules of a bucket for one action, prepared for comparison with many records. The keys
 * with a common prefix are one range in the order of all keys, so the rules divide that order at a
 * few borders, and a key costs one binary search, however many rules and prefixes there are.
 */
export class RuleSchedule {
  readonly #borders: Border[] = [];
  readonly #tagged = new TaggedRules<Earliest>();

  constructor(rules: readonly LifecycleRule[], action: LifecycleAction) {
    const byPrefix = new Map<string, Earliest>();
    rules.forEach((rule, rank) => {
      if (rule.status !== 'enabled' || rule.action !== action) return;
      const own = timesOf(rule, rank);
      const prefixes = rule.resource.map(prefixOf);
      if (rule.tags !== undefined) {
        this.#tagged.add(own, prefixes, rule.tags);
        return;
      }
      for (const prefix of prefixes) {
        byPrefix.set(prefix, earlier(byPrefix.get(prefix), own));
      }
    });
    const around: { prefix: string; earliest: Earliest }[] = [];
    const leave = (next: string | undefined): void => {
      for (let last = around.at(-1); last; last = around.at(-1)) {
        if (next?.startsWith(last.prefix)) return;
        around.pop();
        const end = firstBehind(last.prefix);
        if (end !== undefined) this.#add(end, around.at(-1)?.earliest ?? {});
      }
    };
    for (const prefix of [...byPrefix.keys()].sort()) {
      leave(prefix);
      const earliest = earlier(around.at(-1)?.earliest, byPrefix.get(prefix) ?? {});
      around.push({ prefix, earliest });
      this.#add(prefix, earliest);
    }
    leave(undefined);
  }

  get isEmpty(): boolean {
    return this.#borders.length === 0 && this.#tagged.isEmpty;
  }

  /**
   * The rule that takes effect first for something with this key, time and tags, or `undefined` when none
   * will. Of several at the same time, the first in the bucket's list. A rule without a time takes
   * effect immediately.
   */
  firstToAct(key: string, time: number, tags: readonly Tag[] = []): DueAction | undefined {
    let earliest = this.#lastUpTo(key)?.earliest ?? {};
    for (const own of this.#tagged.matching(key, tags)) earliest = earlier(earliest, own);
    const { fixed, delayed } = earliest;
    const first = sooner(fixed, delayed && { ...delayed, time: time + delayed.time });
    return first && { rule: first.rule, at: first.time };
  }

  /** If one range ends where another starts, the later call wins. */
  #add(from: string, earliest: Earliest): void {
    if (this.#borders.at(-1)?.from === from) this.#borders.pop();
    this.#borders.push({ from, earliest });
  }

  #lastUpTo(key: string): Border | undefined {
    let [low, high] = [0, this.#borders.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#borders[middle] as Border).from <= key) low = middle + 1;
      else high = middle;
    }
    return this.#borders[low - 1];
  }
}

const earlier = (one: Earliest | undefined, other: Earliest): Earliest => ({
  fixed: sooner(one?.fixed, other.fixed),
  delayed: sooner(one?.delayed, other.delayed),
});

function sooner(one: Timed | undefined, other: Timed | undefined): Timed | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  if (one.time !== other.time) return one.time < other.time ? one : other;
  return one.rank < other.rank ? one : other;
}

/** The text between the bucket and the final `*`. */
const prefixOf = (resource: string): string =>
  resource.slice(resource.indexOf('/') + 1).replace('*', '');

/** The first text, in the order of UTF-16 units, after all that start with the prefix. */
function firstBehind(prefix: string): string | undefined {
  for (let at = prefix.length - 1; at >= 0; at--) {
    const unit = prefix.charCodeAt(at);
    if (unit < 0xffff) return prefix.slice(0, at) + String.fromCharCode(unit + 1);
  }
  return undefined;
}

function timesOf(rule: LifecycleRule, rank: number): Earliest {
  const { afterDays, at = 0 } = rule.expires ?? {};
  if (afterDays !== undefined) return { delayed: { rule, rank, time: afterDays * DAY } };
  return { fixed: { rule, rank, time: at } };
}
