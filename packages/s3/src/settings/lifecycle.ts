import type { BucketLifecycleRule, GivenLifecycleRule, Tags } from '@bucketware/core/dialect';
import { invalid, invalidRequest, malformed, unsupported } from '../errors.js';
import type { LifecycleConfiguration } from '../xml/documents/lifecycle-configuration.js';
import type { XmlChildren } from '../xml/write.js';
import { tagsInBody } from './tags.js';

/*
 * A rule of S3 may have several actions, but a rule of the storage has only one. The action that
 * aborts uploads therefore becomes a separate rule, whose id shows which rule it belongs to.
 */

type S3Rule = LifecycleConfiguration['Rule'][number];

const OF_UPLOADS = ' (uploads)';

/** In the older form, a rule has its prefix outside a filter. */
const BARE_PREFIX = 'Prefix';

/** Converts lifecycle rules of S3 to those of the storage. */
export const lifecycleRulesOf = (
  { Rule: rules }: LifecycleConfiguration,
  bucket: string,
): readonly GivenLifecycleRule[] => rules.flatMap((rule, at) => rulesOf(rule, bucket, at));

function rulesOf(rule: S3Rule, bucket: string, at: number): GivenLifecycleRule[] {
  refuseOthers(rule);
  const id = rule.ID || undefined;
  const tags = tagsIn(rule);
  const base = {
    status: rule.Status === 'Enabled' ? 'enabled' : 'disabled',
    resource: [`${bucket}/${prefixOf(rule)}*`],
    ...(tags && { tags }),
    ...(rule.Prefix !== undefined && { spelling: BARE_PREFIX }),
  } as const;
  const rules: GivenLifecycleRule[] = [];
  const expires = rule.Expiration && expiryOf(rule.Expiration);
  if (expires !== undefined) {
    rules.push({
      ...(id && { id }),
      ...base,
      expires,
      action: 'DeleteObject',
    });
  }
  const days = rule.AbortIncompleteMultipartUpload?.DaysAfterInitiation;
  if (days !== undefined && tags !== undefined) {
    throw invalidRequest('AbortIncompleteMultipartUpload cannot be specified with Tags.');
  }
  if (days !== undefined) {
    const both = expires !== undefined;
    rules.push({
      ...(both ? { id: `${id ?? `rule-${at + 1}`}${OF_UPLOADS}` } : id && { id }),
      ...base,
      expires: afterDays(days),
      action: 'AbortMultipartUpload',
    });
    const first = rules[0] as GivenLifecycleRule;
    if (both && id === undefined) rules[0] = { ...first, id: `rule-${at + 1}` };
  }
  if (rules.length === 0) throw malformed('A rule needs an action, such as Expiration.');
  return rules;
}

/** Throws for other conditions: if one were ignored, the rule would remove too much. */
function refuseOthers(rule: S3Rule): void {
  for (const { Date: date } of rule.Transition) if (date !== undefined) midnightOf(date);
  if (rule.Transition.length > 0) throw unsupported('Transitions are not supported.');
  const isOfVersions =
    rule.NoncurrentVersionExpiration !== undefined ||
    rule.NoncurrentVersionTransition.length > 0 ||
    rule.Expiration?.ExpiredObjectDeleteMarker !== undefined;
  if (isOfVersions)
    throw unsupported('Versions of objects are not supported, so there are no rules for them.');
  const conditions = { ...rule.Filter, ...rule.Filter?.And };
  const isNarrowed =
    conditions.ObjectSizeGreaterThan !== undefined || conditions.ObjectSizeLessThan !== undefined;
  if (isNarrowed) throw unsupported('Rules for sizes are not supported.');
}

/** The required tags, or `undefined` if the rule applies whatever tags an object has. */
function tagsIn({ Filter: filter }: S3Rule): Tags | undefined {
  const found = [...(filter?.Tag === undefined ? [] : [filter.Tag]), ...(filter?.And?.Tag ?? [])];
  return found.length === 0 ? undefined : tagsInBody({ TagSet: { Tag: found } });
}

function prefixOf({ Prefix: direct, Filter: filter }: S3Rule): string {
  const found = [direct, filter?.Prefix, filter?.And?.Prefix].filter((one) => one !== undefined);
  if (found.length > 1) throw malformed('A rule may have at most one Prefix.');
  const [prefix = ''] = found;
  if (prefix.includes('*')) throw unsupported('A prefix with * is not supported.');
  return prefix;
}

function expiryOf({ Days: days, Date: date }: NonNullable<S3Rule['Expiration']>) {
  if ((days === undefined) === (date === undefined)) {
    throw malformed('Expiration needs either Days or Date.');
  }
  if (days !== undefined) return afterDays(days);
  return { at: midnightOf(date as string) };
}

function midnightOf(date: string): Date {
  const day = /^(\d{4}-\d\d-\d\d)(T00:00:00(\.0+)?(Z|\+00:00))?$/.exec(date)?.[1];
  if (day === undefined) throw invalid("'Date' must be at midnight GMT");
  const at = new Date(`${day}T00:00:00Z`);
  // June 31 would become July 1.
  if (!Number.isNaN(+at) && at.toISOString().startsWith(day)) return at;
  throw invalid("'Date' is not a day of the calendar");
}

function afterDays(days: number) {
  if (days > 0) return { afterDays: days };
  throw invalid('The number of days must be a positive integer.');
}

/** Rules in the form of S3. */
export function shownLifecycleRules(
  rules: readonly BucketLifecycleRule[],
  bucket: string,
): XmlChildren {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const others = new Map<BucketLifecycleRule, BucketLifecycleRule>();
  for (const rule of rules) {
    const other = byId.get(rule.id + OF_UPLOADS);
    if (other !== undefined && isOne(rule, other)) others.set(rule, other);
  }
  const ofUploads = new Set(others.values());
  const shown = rules.filter((rule) => !ofUploads.has(rule));
  return { Rule: shown.map((rule) => shownRule(rule, bucket, others.get(rule))) };
}

/**
 * Whether two rules form one rule of S3. Similar ids are not enough: the rules could be unrelated,
 * and apply to different objects.
 */
const isOne = (rule: BucketLifecycleRule, other: BucketLifecycleRule): boolean =>
  rule.action === 'DeleteObject' &&
  other.action === 'AbortMultipartUpload' &&
  rule.tags === undefined &&
  rule.status === other.status &&
  rule.spelling === other.spelling &&
  rule.resource.join('\0') === other.resource.join('\0');

function shownRule(
  rule: BucketLifecycleRule,
  bucket: string,
  other?: BucketLifecycleRule,
): XmlChildren {
  const { id, status, resource, tags, spelling } = rule;
  const [path = '', ...more] = resource;
  if (more.length > 0) throw foreign();
  const prefix = path.slice(bucket.length + 1).replace(/\*$/, '');
  return {
    ID: id,
    ...(spelling === BARE_PREFIX ? { Prefix: prefix } : { Filter: shownFilter(prefix, tags) }),
    Status: status === 'enabled' ? 'Enabled' : 'Disabled',
    ...shownAction(rule),
    ...(other && shownAction(other)),
  };
}

function shownFilter(prefix: string, tags: Tags = {}): XmlChildren {
  const all = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  const [first] = all;
  if (first === undefined) return { Prefix: prefix };
  if (all.length === 1 && prefix === '') return { Tag: first };
  return { And: { Prefix: prefix === '' ? undefined : prefix, Tag: all } };
}

function shownAction({ expires, action }: BucketLifecycleRule): XmlChildren {
  const { afterDays: days, at } = expires ?? {};
  if (days === undefined && (at === undefined || action !== 'DeleteObject')) throw foreign();
  if (action === 'AbortMultipartUpload') {
    return { AbortIncompleteMultipartUpload: { DaysAfterInitiation: days } };
  }
  return { Expiration: { Days: days, Date: at?.toISOString() } };
}

const foreign = () =>
  unsupported(
    'The lifecycle rules were set through another interface and cannot be expressed in S3.',
  );
