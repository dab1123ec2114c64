import * as v from 'valibot';
import type {
  BucketLifecycleRule,
  GivenLifecycleRule,
  LifecycleExpiry,
} from '../actions/parameters/lifecycle-rules.js';
import { list, members, objectWithout } from '../actions/parameters/schema.js';
import { StorageError } from '../errors.js';
import { MAX_LIFECYCLE_RULES } from '../limits.js';
import { quoted } from '../quoted.js';
import {
  bySchema,
  isEmpty,
  notOffered,
  passed,
  strictObject,
  unknownField,
} from './json-object.js';

/*
 * `{"id", "status", "resource", "condition": {"time": {"dateGreaterThan"}}, "action": {"name"}}`,
 * where a date is `yyyy-mm-ddT00:00:00Z` or `$(lastModified)+P<n>D`.
 */

const ABSOLUTE = /^(\d{4}-\d{2}-\d{2})T00:00:00Z$/;
const RELATIVE = /^\$\(lastModified\)\+P([1-9]\d{0,5})D$/;
const DATES = 'must be yyyy-mm-ddT00:00:00Z or $(lastModified)+P<n>D with n from 1 to 999,999';

function readDate(date: string): LifecycleExpiry | undefined {
  const days = RELATIVE.exec(date)?.[1];
  if (days !== undefined) return { afterDays: Number(days) };
  const day = ABSOLUTE.exec(date)?.[1];
  const at = new Date(day === undefined ? Number.NaN : date);
  // June 31 would become July 1.
  const exists = !Number.isNaN(+at) && at.toISOString().startsWith(`${day}T`);
  return exists ? { at } : undefined;
}

function writeDate({ afterDays, at }: LifecycleExpiry): { readonly dateGreaterThan?: string } {
  if (afterDays !== undefined) return { dateGreaterThan: `$(lastModified)+P${afterDays}D` };
  return at === undefined ? {} : { dateGreaterThan: at.toISOString().replace('.000Z', 'Z') };
}

const hasNothing = (time: object): boolean => Object.keys(time).length === 0;

/** The time of a condition: empty, or with a date. */
const time = v.pipe(
  objectWithout(
    (given) =>
      unknownField(['dateGreaterThan'])(given) ??
      (hasNothing(given) || 'dateGreaterThan' in given
        ? undefined
        : 'must be {"dateGreaterThan": "..."}'),
  ),
  members({
    dateGreaterThan: v.exactOptional(
      v.pipe(
        v.string(DATES),
        v.transform(readDate),
        v.check((expires) => expires !== undefined, DATES),
      ),
    ),
  }),
  v.transform(({ dateGreaterThan }): LifecycleExpiry => dateGreaterThan ?? {}),
);

const OF_CONDITIONS = ['time', 'tag', 'objectSize'];

/**
 * The complaint about a condition that has other members but no time. It would match everything,
 * which is probably not intended.
 */
function complaintWithoutTime(condition: { readonly time?: unknown }): string | undefined {
  const { time: given = {} } = condition;
  const isTimeless = typeof given === 'object' && given !== null && hasNothing(given);
  const other = Object.keys(condition).find((name) => !OF_CONDITIONS.includes(name));
  if (!isTimeless || other === undefined) return undefined;
  return (
    `has no field ${quoted(other)}. Ignoring it would apply the rule to everything: write {} if you ` +
    'intend that, or {"time": {"dateGreaterThan": "..."}}'
  );
}

/** If these were ignored, a rule would remove more than its author intends. */
const narrower = notOffered('Rules with not, tag or objectSize are not supported.');

const condition = v.pipe(
  objectWithout((given) => unknownField(OF_CONDITIONS)(given) ?? complaintWithoutTime(given)),
  members({ time: v.optional(time), tag: narrower, objectSize: narrower }),
  v.transform(({ time: expires }) => (expires === undefined ? {} : { expires })),
);

/** Transitions, which have a storageClass, are rejected because of their names. */
const action = v.pipe(
  strictObject({ name: passed, storageClass: passed }),
  v.check(
    ({ name, storageClass }) => name !== 'DeleteObject' || isEmpty(storageClass),
    'has a storageClass. Ignoring it could affect more than you intend',
  ),
);

const rule = v.pipe(
  strictObject({
    not: narrower,
    ...{ id: passed, status: passed, resource: passed },
    condition,
    action,
  }),
  v.transform(({ condition: when, action: { name }, ...fields }) => ({
    ...{ ...fields, ...when },
    action: name,
  })),
);

/** The rules of a JSON body as the action takes them. */
export const readLifecycleRules = bySchema<readonly GivenLifecycleRule[]>(
  list(rule, 'must be a list of at least one rule', { most: MAX_LIFECYCLE_RULES }),
);

/** A rule in the form in which it was set. */
export function writeLifecycleRule({ expires, action, tags, ...rule }: BucketLifecycleRule) {
  // Without its tags, a rule would seem to apply to more than it does.
  if (tags !== undefined) {
    const message = 'A rule for tags was set through another interface, and cannot be shown here.';
    throw new StorageError('NotImplemented', message);
  }
  const { spelling: _, ...fields } = rule;
  return {
    ...fields,
    condition: expires === undefined ? {} : { time: writeDate(expires) },
    action: { name: action },
  };
}
