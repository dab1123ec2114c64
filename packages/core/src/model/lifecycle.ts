import { matchesWildcard } from './acl.js';

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

/** A rule that is ready to be asked about many records. */
export interface Judge {
  readonly rule: LifecycleRule;
  matches(key: string): boolean;
  /** When something of this time is due: milliseconds since 1970. */
  dueAt(time: number): number;
}

/** The enabled rules of a bucket for one action. A rule without a time acts at once. */
export const judges = (rules: readonly LifecycleRule[], action: LifecycleAction): Judge[] =>
  rules.filter((rule) => rule.status === 'enabled' && rule.action.name === action).map(judgeOf);

function judgeOf(rule: LifecycleRule): Judge {
  const date = rule.condition.time?.dateGreaterThan;
  const days = RELATIVE.exec(date ?? '')?.[1];
  const absolute = date === undefined ? 0 : Date.parse(date);
  const patterns = rule.resource.map((resource) => {
    const path = resource.slice(resource.indexOf('/') + 1);
    return path.endsWith('*') ? path : `${path}*`;
  });
  return {
    rule,
    matches: (key) => patterns.some((pattern) => matchesWildcard(pattern, key)),
    dueAt: days === undefined ? () => absolute : (time) => time + Number(days) * DAY,
  };
}

export interface Verdict {
  readonly rule: LifecycleRule;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The rule that acts first on something of this key and time, or `undefined` when none will. */
export function firstToAct(
  candidates: readonly Judge[],
  key: string,
  time: number,
): Verdict | undefined {
  let first: Verdict | undefined;
  for (const judge of candidates) {
    if (!judge.matches(key)) continue;
    const at = judge.dueAt(time);
    if (first === undefined || at < first.at) first = { rule: judge.rule, at };
  }
  return first;
}
