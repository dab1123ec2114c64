/** One lifecycle rule, in the words of the wire. */
export interface LifecycleRule {
  readonly id: string;
  readonly status: 'enabled' | 'disabled';
  /** `<bucket>/` or `<bucket>/*` for all, `<bucket>/<prefix>/*` for what lies below. */
  readonly resource: readonly string[];
  readonly condition: { readonly time?: { readonly dateGreaterThan?: string } };
  readonly action: { readonly name: LifecycleAction };
}

export type LifecycleAction = 'DeleteObject' | 'AbortMultipartUpload';

export const ABSOLUTE = /^(\d{4}-\d{2}-\d{2})T00:00:00Z$/;
export const RELATIVE = /^\$\(lastModified\)\+P([1-9]\d{0,5})D$/;
const DAY = 24 * 60 * 60 * 1000;

export interface Verdict {
  readonly rule: LifecycleRule;
  /** Milliseconds since 1970. */
  readonly at: number;
}

interface Judge {
  readonly rule: LifecycleRule;
  /** When something of this time is due: milliseconds since 1970. */
  dueAt(time: number): number;
}

/** All rules about one prefix, and the next shorter prefix that has rules too. */
interface Place {
  readonly prefix: string;
  readonly judges: Judge[];
  readonly shorter: Place | undefined;
}

/**
 * The enabled rules of a bucket for one action, ready to be asked about many records. A bucket may
 * have tens of thousands of prefixes: to ask about a key costs no more than their logarithm, and
 * the prefixes that it has.
 */
export class Judges {
  /** In the order of their prefixes. */
  readonly #places: Place[] = [];
  readonly #rank = new Map<LifecycleRule, number>();

  constructor(rules: readonly LifecycleRule[], action: LifecycleAction) {
    const byPrefix = new Map<string, Judge[]>();
    for (const rule of rules) {
      if (rule.status !== 'enabled' || rule.action.name !== action) continue;
      this.#rank.set(rule, this.#rank.size);
      const judge = judgeOf(rule);
      for (const prefix of new Set(rule.resource.map(prefixOf))) {
        const judges = byPrefix.get(prefix);
        if (judges === undefined) byPrefix.set(prefix, [judge]);
        else judges.push(judge);
      }
    }
    for (const prefix of [...byPrefix.keys()].sort()) {
      const shorter = longestOf(this.#places.at(-1), prefix);
      this.#places.push({ prefix, judges: byPrefix.get(prefix) as Judge[], shorter });
    }
  }

  get isEmpty(): boolean {
    return this.#places.length === 0;
  }

  /**
   * The rule that acts first on something of this key and time, or `undefined` when none will. Of
   * several at once the first in the bucket's list. A rule without a time acts at once.
   */
  firstToAct(key: string, time: number): Verdict | undefined {
    let first: Verdict | undefined;
    let place = longestOf(this.#lastUpTo(key), key);
    for (; place !== undefined; place = place.shorter) {
      for (const { rule, dueAt } of place.judges) {
        const verdict = { rule, at: dueAt(time) };
        if (first === undefined || this.#isBefore(verdict, first)) first = verdict;
      }
    }
    return first;
  }

  #isBefore(one: Verdict, other: Verdict): boolean {
    const rank = ({ rule }: Verdict) => this.#rank.get(rule) as number;
    return one.at < other.at || (one.at === other.at && rank(one) < rank(other));
  }

  /** Whatever prefixes a key has, they are this one or its shorter ones. */
  #lastUpTo(key: string): Place | undefined {
    let [low, high] = [0, this.#places.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#places[middle] as Place).prefix <= key) low = middle + 1;
      else high = middle;
    }
    return this.#places[low - 1];
  }
}

function longestOf(place: Place | undefined, key: string): Place | undefined {
  let found = place;
  while (found !== undefined && !key.startsWith(found.prefix)) found = found.shorter;
  return found;
}

/** What stands between the bucket and the `*` at the end. */
const prefixOf = (resource: string): string =>
  resource.slice(resource.indexOf('/') + 1).replace('*', '');

function judgeOf(rule: LifecycleRule): Judge {
  const date = rule.condition.time?.dateGreaterThan;
  const days = RELATIVE.exec(date ?? '')?.[1];
  const absolute = date === undefined ? 0 : Date.parse(date);
  return {
    rule,
    dueAt: days === undefined ? () => absolute : (time) => time + Number(days) * DAY,
  };
}
