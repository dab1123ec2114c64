import * as v from 'valibot';
import type {
  BucketLifecycleRule,
  GivenLifecycleRule,
  LifecycleExpiry,
} from '../actions/lifecycle-rules.js';
import { conforming, list, members, texts, wellFormed } from '../actions/schema.js';
import { MAX_LIFECYCLE_RULES } from '../limits.js';
import { quoted } from '../quoted.js';
import { jsonObject, notOffered, withoutNearMisses } from './json-object.js';

/*
 * `{"id", "status", "resource", "condition": {"time": {"dateGreaterThan"}}, "action": {"name"}}`,
 * where a date is `yyyy-mm-ddT00:00:00Z` or `$(lastModified)+P<n>D`.
 */

const ABSOLUTE = /^(\d{4}-\d{2}-\d{2})T00:00:00Z$/;
const RELATIVE = /^\$\(lastModified\)\+P([1-9]\d{0,5})D$/;

function readDate(date: string): LifecycleExpiry | undefined {
  const days = RELATIVE.exec(date)?.[1];
  if (days !== undefined) return { afterDays: Number(days) };
  const day = ABSOLUTE.exec(date)?.[1];
  const at = day === undefined ? undefined : new Date(date);
  // The 31st of June would become the 1st of July.
  const exists = at && !Number.isNaN(+at) && at.toISOString().startsWith(`${day}T`);
  return exists ? { at } : undefined;
}

function writeDate({ afterDays, at }: LifecycleExpiry): { readonly dateGreaterThan?: string } {
  if (afterDays !== undefined) return { dateGreaterThan: `$(lastModified)+P${afterDays}D` };
  return at === undefined ? {} : { dateGreaterThan: at.toISOString().replace('.000Z', 'Z') };
}

const NARROWED = 'Rules with not, tag or objectSize are not offered.';

const isEmpty = (time: unknown): boolean =>
  typeof time === 'object' && time !== null && Object.keys(time).length === 0;

const ofDates = 'must be yyyy-mm-ddT00:00:00Z or $(lastModified)+P<n>D with n from 1 to 999,999';

const time = v.pipe(
  withoutNearMisses(['dateGreaterThan']),
  v.custom<object>(
    (given) => isEmpty(given) || 'dateGreaterThan' in (given as object),
    'must be {"dateGreaterThan": "..."}',
  ),
  members({
    dateGreaterThan: v.exactOptional(
      v.pipe(
        v.string(ofDates),
        v.transform(readDate),
        v.check((expires) => expires !== undefined, ofDates),
      ),
    ),
  }),
  v.transform(({ dateGreaterThan }): LifecycleExpiry => dateGreaterThan ?? {}),
);

const OF_CONDITIONS = ['time', 'tag', 'objectSize'];

/** A condition without a time is for everything. One that says something was not meant so. */
const saidBesides = (condition: object): string | undefined => {
  const { time: given } = condition as { time?: unknown };
  if (given !== undefined && !isEmpty(given)) return undefined;
  return Object.keys(condition).find((name) => !OF_CONDITIONS.includes(name));
};

const condition = v.pipe(
  withoutNearMisses(OF_CONDITIONS),
  v.custom<object>(
    (given) => saidBesides(given as object) === undefined,
    ({ input }) =>
      `has no field ${quoted(saidBesides(input as object) ?? '')}. Without it the rule would be for ` +
      'everything: write {} if you mean that, or {"time": {"dateGreaterThan": "..."}}',
  ),
  members({
    time: v.optional(time),
    tag: notOffered(NARROWED),
    objectSize: notOffered(NARROWED),
  }),
  v.transform(({ time: expires }) => (expires === undefined ? {} : { expires })),
);

const rule = v.pipe(
  jsonObject({
    not: notOffered(NARROWED),
    id: v.optional(wellFormed('must be text')),
    status: v.picklist(['enabled', 'disabled'], 'must be enabled or disabled'),
    resource: texts('must be a list of texts'),
    condition,
    action: jsonObject({ name: wellFormed('must be text'), storageClass: v.optional(v.unknown()) }),
  }),
  v.transform(({ id, status, resource, condition: when, action }) => ({
    ...{ id, status, resource },
    ...when,
    action: action.name as GivenLifecycleRule['action'],
  })),
);

const rules = list(rule, 'must be a list of at least one rule', MAX_LIFECYCLE_RULES);

/** The rules of a JSON body. Throws InappropriateJSON, InvalidArgument, NotImplemented. */
export const readLifecycleRules = (json: unknown): readonly GivenLifecycleRule[] =>
  conforming(rules, json, 'rule', 'InappropriateJSON');

/** A rule as it was put. */
export const writeLifecycleRule = ({ expires, action, ...fields }: BucketLifecycleRule) => ({
  ...fields,
  condition: expires === undefined ? {} : { time: writeDate(expires) },
  action: { name: action },
});
