import * as v from 'valibot';
import type { LifecycleAction, LifecycleRule } from '../../engine/records/settings.js';
import { newId } from '../../engine/store.js';
import { StorageError } from '../../errors.js';
import { MAX_LIFECYCLE_RULES } from '../../limits.js';
import { isPlainObject } from '../../options.js';
import { quoted } from '../../quoted.js';
import { isText } from './parameter.js';
import { each, list, optional, record, structure, texts } from './schema.js';
import { requireTags, shownTags, type Tags } from './tags.js';

/** A lifecycle rule as it is returned. */
export interface BucketLifecycleRule {
  readonly id: string;
  readonly status: 'enabled' | 'disabled';
  /**
   * `<bucket>/` or `<bucket>/*` for all keys, `<bucket>/<prefix>/*` for keys that begin with
   * `<prefix>/`.
   */
  readonly resource: readonly string[];
  /**
   * The rule applies only to objects that have all of these tags. Not allowed in a rule for
   * uploads.
   */
  readonly tags?: Tags;
  /** In which form the dialect wrote the rule, if it has several. */
  readonly spelling?: string;
  /** When the rule acts. If it is missing or empty, the rule acts in every run. */
  readonly expires?: LifecycleExpiry;
  readonly action: LifecycleAction;
}

/** When a rule acts. At most one of the two is set. */
export interface LifecycleExpiry {
  /** Days after the last modification of an object, or the start of an upload: 1 to 999,999. */
  readonly afterDays?: number;
  /** A midnight in UTC. From then on, the rule acts on everything it matches. */
  readonly at?: Date;
}

/** A rule as the caller sets it. If `id` is missing or empty, one is generated. */
export type GivenLifecycleRule = Omit<BucketLifecycleRule, 'id'> & {
  readonly id?: string | undefined;
};

const ACTIONS: readonly unknown[] = ['DeleteObject', 'AbortMultipartUpload'];
const MAX_ID_LENGTH = 255;
const MAX_DAYS = 999_999;
const DAY = 24 * 60 * 60 * 1000;
/** The years that have four digits. */
const [FIRST_DAY, LAST_DAY] = [Date.parse('0000-01-01'), Date.parse('9999-12-31')];

const ofDays = `must be a whole number from 1 to ${MAX_DAYS}`;
const midnight = 'must be a Date at midnight in UTC';

const expiry = v.pipe(
  record({
    afterDays: optional(
      v.pipe(
        v.custom<number>((days) => typeof days === 'number', ofDays),
        v.check((days) => Number.isInteger(days) && days >= 1 && days <= MAX_DAYS, ofDays),
      ),
    ),
    at: optional(
      v.pipe(
        v.custom<Date>((date) => date instanceof Date, midnight),
        v.check((date) => +date >= FIRST_DAY && +date <= LAST_DAY && +date % DAY === 0, midnight),
        v.transform(Number),
      ),
    ),
  }),
  v.check(
    ({ afterDays, at }) => afterDays === undefined || at === undefined,
    'must have afterDays or at, not both',
  ),
);

const ofStatus = 'must be enabled or disabled';
const ofActions = `must be ${ACTIONS.join(' or ')}`;

const ofTags = 'must be an object of strings';

const ruleFields = record({
  id: v.optional(
    v.pipe(
      v.custom<string>(isText, 'must be a string'),
      v.maxLength(MAX_ID_LENGTH, `must have at most ${MAX_ID_LENGTH} characters`),
    ),
  ),
  status: v.picklist(['enabled', 'disabled'], ofStatus),
  resource: v.pipe(
    texts('must be a list of strings'),
    v.minLength(1, 'must have at least one item'),
    each(isResource, 'must be <bucket>/ or <bucket>/<prefix>/*'),
  ),
  tags: optional(
    v.pipe(
      v.custom<Tags>(isPlainObject, ofTags),
      v.transform((tags) => requireTags(tags)),
      v.minLength(1, 'must have at least one tag'),
    ),
  ),
  spelling: optional(v.custom<string>(isText, 'must be a string')),
  expires: optional(expiry),
  action: v.pipe(
    v.custom<LifecycleAction>((name) => typeof name === 'string', ofActions),
    v.check((name) => ACTIONS.includes(name), ofActions),
  ),
});

const rule = v.pipe(
  ruleFields,
  v.check(
    ({ tags, action }) => tags === undefined || action === 'DeleteObject',
    'has tags, which a rule for uploads cannot have',
  ),
);

/** `<bucket>/`, `<bucket>/*` or `<bucket>/<prefix>/*`: one `*`, and only at the end. */
function isResource(path: string): boolean {
  const slash = path.indexOf('/');
  const rest = path.slice(slash + 1);
  const star = rest.indexOf('*');
  return slash > 0 && (rest === '' || (star >= 0 && star === rest.length - 1));
}

/** Gives each rule without an id a new one. Throws InvalidArgument if an id is used twice. */
function identified<T extends { readonly id?: string }>(given: readonly T[]) {
  const ids = new Set<string>();
  return given.map(({ id, ...fields }) => {
    const own = id || newId();
    if (ids.has(own)) {
      throw new StorageError('InvalidArgument', `The rule id ${quoted(own)} is used twice.`);
    }
    ids.add(own);
    return { id: own, ...fields };
  });
}

/** The rules of a bucket. */
export const lifecycleRules = structure<readonly LifecycleRule[], readonly GivenLifecycleRule[]>(
  v.pipe(
    list(rule, 'must be a list of at least one rule', { most: MAX_LIFECYCLE_RULES }),
    v.transform(identified),
  ),
).required();

/** A rule as it is returned. */
export function toBucketLifecycleRule(record: LifecycleRule): BucketLifecycleRule {
  const { expires, action, tags, ...others } = record;
  const rule = { ...others, ...(tags && { tags: shownTags(tags) }) };
  if (expires === undefined) return { ...rule, action };
  const { at, ...relative } = expires;
  return { ...rule, expires: at === undefined ? relative : { at: new Date(at) }, action };
}
