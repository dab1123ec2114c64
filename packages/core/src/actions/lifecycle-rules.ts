import type { Expiry, LifecycleAction, LifecycleRule } from '../engine/lifecycle/rules.js';
import { newId } from '../engine/store.js';
import { StorageError } from '../errors.js';
import { MAX_LIFECYCLE_RULES } from '../limits.js';
import { quoted } from '../quoted.js';
import type { Author } from './author.js';
import { isAbsent, isObject, isText, parameter } from './parameter.js';

const ACTIONS = ['DeleteObject', 'AbortMultipartUpload'] as const;
const MAX_ID_LENGTH = 255;

/** A rule as it is given, and answered. */
export interface SpokenRule {
  readonly id: string;
  readonly status: 'enabled' | 'disabled';
  /** `<bucket>/` or `<bucket>/*` for all, `<bucket>/<prefix>/*` for what lies below. */
  readonly resource: readonly string[];
  /** `yyyy-mm-ddT00:00:00Z`, or `$(lastModified)+P<n>D`. Without it the rule acts at once. */
  readonly condition: { readonly time?: { readonly dateGreaterThan?: string } };
  readonly action: { readonly name: LifecycleAction };
}

type GivenRule = Omit<SpokenRule, 'id'> & { readonly id?: string };

const ABSOLUTE = /^(\d{4}-\d{2}-\d{2})T00:00:00Z$/;
const RELATIVE = /^\$\(lastModified\)\+P([1-9]\d{0,5})D$/;

/** The rules of a bucket, with every field of the interface. */
export const lifecycleRules = parameter<readonly LifecycleRule[], readonly GivenRule[]>(
  (rules, author) => {
    if (!Array.isArray(rules) || rules.length === 0) {
      throw author.malformed('rule must be a list of at least one rule.');
    }
    if (rules.length > MAX_LIFECYCLE_RULES) {
      throw invalid(`A bucket has at most ${MAX_LIFECYCLE_RULES} rules.`);
    }
    const checked = rules.map((rule) => ruleOf(rule, author));
    const ids = new Set<string>();
    for (const { id } of checked) {
      if (ids.has(id)) throw invalid(`The rule id ${quoted(id)} is given twice.`);
      ids.add(id);
    }
    return checked;
  },
).required();

const OF_RULES = ['id', 'status', 'resource', 'condition', 'action', 'not'];
const OF_ACTIONS = ['name', 'storageClass'];
const OF_CONDITIONS = ['time', 'tag', 'objectSize'];
const OF_TIMES = ['dateGreaterThan'];

function ruleOf(given: unknown, author: Author): LifecycleRule {
  if (!isObject(given)) throw author.malformed('A rule must be an object.');
  author.requireMembers('A rule', given, OF_RULES);
  if (!isAbsent(given.not)) throw narrowed();
  const { id = '', status, resource, condition, action } = given;
  if (!isText(id)) throw author.malformed('The id of a rule must be text.');
  if (id.length > MAX_ID_LENGTH) throw invalid(`An id has at most ${MAX_ID_LENGTH} characters.`);
  if (status !== 'enabled' && status !== 'disabled') {
    throw author.malformed('The status of a rule must be enabled or disabled.');
  }
  if (!isObject(action)) throw author.malformed('A rule needs an action with a name.');
  author.requireMembers('The action of a rule', action, OF_ACTIONS);
  const name = ACTIONS.find((known) => known === action.name);
  if (name === undefined) {
    const offered = ACTIONS.join(' or ');
    throw (typeof action.name === 'string' ? invalid : author.malformed)(
      `The action of a rule must be ${offered}.`,
    );
  }
  return {
    id: id === '' ? newId() : id,
    status,
    resource: resourcesOf(resource, author),
    ...conditionOf(condition, author),
    action: name,
  };
}

/** `<bucket>/`, `<bucket>/*` or `<bucket>/<prefix>/*`: one `*`, and only at the end. */
function resourcesOf(value: unknown, author: Author): readonly string[] {
  if (!Array.isArray(value) || !value.every(isText)) {
    throw author.malformed('The resource of a rule must be a list of texts.');
  }
  if (value.length === 0) throw invalid('A rule needs at least one resource.');
  for (const path of value as string[]) {
    const slash = path.indexOf('/');
    const rest = path.slice(slash + 1);
    const star = rest.indexOf('*');
    const fits = slash > 0 && (rest === '' || (star >= 0 && star === rest.length - 1));
    if (!fits)
      throw invalid(`The resource ${quoted(path)} must be <bucket>/ or <bucket>/<prefix>/*.`);
  }
  return value as string[];
}

function conditionOf(value: unknown, author: Author): Pick<LifecycleRule, 'expires'> {
  if (!isObject(value)) throw author.malformed('A rule needs a condition.');
  author.requireMembers('A condition', value, OF_CONDITIONS);
  if (!isAbsent(value.tag) || !isAbsent(value.objectSize)) throw narrowed();
  const { time } = value;
  if (isEmpty(time)) requireNothing(value, author);
  if (time === undefined) return {};
  if (!isObject(time)) throw author.malformed('The time of a condition must be an object.');
  if (isEmpty(time)) return { expires: {} };
  author.requireMembers('The time of a condition', time, OF_TIMES);
  const { dateGreaterThan } = time;
  if (typeof dateGreaterThan !== 'string') {
    throw author.malformed('The time of a condition must be {"dateGreaterThan": "..."}.');
  }
  const afterDays = RELATIVE.exec(dateGreaterThan)?.[1];
  if (afterDays !== undefined) return { expires: { afterDays: Number(afterDays) } };
  if (!isMidnight(dateGreaterThan)) {
    throw invalid(
      'dateGreaterThan must be yyyy-mm-ddT00:00:00Z or $(lastModified)+P<n>D with n of 1 or more.',
    );
  }
  return { expires: { at: Date.parse(dateGreaterThan) } };
}

/** A rule as it was given. */
export function spokenRule({ expires, action, ...rule }: LifecycleRule): SpokenRule {
  const condition = expires === undefined ? {} : { time: spokenTime(expires) };
  return { ...rule, condition, action: { name: action } };
}

function spokenTime({ afterDays, at }: Expiry): { readonly dateGreaterThan?: string } {
  if (afterDays !== undefined) return { dateGreaterThan: `$(lastModified)+P${afterDays}D` };
  if (at === undefined) return {};
  return { dateGreaterThan: new Date(at).toISOString().replace('.000Z', 'Z') };
}

const isEmpty = (time: unknown): boolean =>
  time === undefined || (isObject(time) && Object.keys(time).length === 0);

/** A condition without a time is for everything. One that says something was not meant so. */
function requireNothing(condition: object, author: Author): void {
  const said = Object.keys(condition).find((name) => !OF_CONDITIONS.includes(name));
  if (said === undefined) return;
  throw author.malformed(
    `A condition has no ${quoted(said)}. Without it the rule would be for everything: write {} if ` +
      'you mean that, or {"time": {"dateGreaterThan": "..."}}.',
  );
}

/** A day that exists: Date.parse would take the 31st of June. */
function isMidnight(text: string): boolean {
  const day = ABSOLUTE.exec(text)?.[1];
  const time = day === undefined ? Number.NaN : Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(`${day}T`);
}

/** Without what narrows it down, a rule would remove more than its author wants. */
const narrowed = () =>
  new StorageError('NotImplemented', 'Rules with not, tag or objectSize are not offered.');
const invalid = (message: string) => new StorageError('InvalidArgument', message);
