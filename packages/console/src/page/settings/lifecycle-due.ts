import type { LifecycleRule } from '@bucketware/client';

/** Computes when unsaved rules would remove something. */

export const DAY = 24 * 60 * 60 * 1000;
const RELATIVE = /^\$\(lastModified\)\+P(\d*)D$/;

export type When =
  /** The number is undefined while its field is empty. The storage refuses such a rule. */
  | { readonly kind: 'days'; readonly days: number | undefined }
  | { readonly kind: 'date'; readonly date: string }
  | { readonly kind: 'now' };

export function whenOf({ condition }: LifecycleRule): When {
  const given = condition.time?.dateGreaterThan;
  if (given === undefined) return { kind: 'now' };
  const days = RELATIVE.exec(given)?.[1];
  return days === undefined
    ? { kind: 'date', date: given.slice(0, 10) }
    : { kind: 'days', days: days === '' ? undefined : Number(days) };
}

export function conditionOf(when: When): LifecycleRule['condition'] {
  if (when.kind === 'now') return {};
  const dateGreaterThan =
    when.kind === 'days' ? `$(lastModified)+P${when.days ?? ''}D` : `${when.date}T00:00:00Z`;
  return { time: { dateGreaterThan } };
}

/** `<bucket>/<prefix>*`, or `<bucket>/` for everything. */
const prefixOf = (resource: string): string =>
  resource.slice(resource.indexOf('/') + 1).replace('*', '');

export interface Due {
  /** The index of the rule, from 0. */
  readonly rule: number;
  readonly at: number;
}

/**
 * The rule that is due first for an object or upload with this key and time. Among several at the
 * same time, the first in the list.
 */
export function firstDue(
  rules: readonly LifecycleRule[],
  action: LifecycleRule['action']['name'],
  key: string,
  time: number,
): Due | undefined {
  let first: Due | undefined;
  rules.forEach((rule, index) => {
    if (rule.status !== 'enabled' || rule.action.name !== action) return;
    if (!rule.resource.some((resource) => key.startsWith(prefixOf(resource)))) return;
    const when = whenOf(rule);
    const at =
      when.kind === 'days'
        ? time + (when.days ?? Number.POSITIVE_INFINITY) * DAY
        : when.kind === 'date'
          ? Date.parse(when.date)
          : 0;
    if (first === undefined || at < first.at) first = { rule: index, at };
  });
  return first;
}

export function explainRule(rule: LifecycleRule, bucket: string): string {
  const places = rule.resource.map((one) => one.slice(bucket.length + 1).replace(/\*$/, ''));
  const isWhole = places.some((place) => place === '');
  const where = isWhole ? 'all files' : `files below ${places.join(' and ')}`;
  const uploads = isWhole
    ? 'all unfinished uploads'
    : `unfinished uploads below ${places.join(' and ')}`;
  const isDelete = rule.action.name === 'DeleteObject';
  const what = isDelete ? `Deletes ${where}` : `Removes ${uploads}`;
  const when = whenOf(rule);
  const off = rule.status === 'enabled' ? '' : ' Switched off.';
  if (when.kind === 'now') return `${what} at once.${off}`;
  if (when.kind === 'date') return `${what} from ${when.date} on.${off}`;
  const since = isDelete ? 'they were last changed' : 'they were started';
  return `${what} ${when.days ?? '…'} ${when.days === 1 ? 'day' : 'days'} after ${since}.${off}`;
}
