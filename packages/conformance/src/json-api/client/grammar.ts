import type { CorsRule, LifecycleRule } from '../../actions/settings.js';
import type { Grant, Permission } from '../../actions/values.js';
import type { SettingBodies } from '../../client/spelling.js';
import { assertFields, fieldsOf } from './json.js';

/** How this dialect writes access control lists, CORS rules and lifecycle rules. */

interface JsonGrant {
  readonly grantee: readonly { readonly id: string }[];
  readonly permission: readonly Permission[];
  readonly effect?: 'Allow' | 'Deny';
  readonly resource?: readonly string[];
  readonly notResource?: readonly string[];
}

const grantToJson = (grant: Grant): JsonGrant => ({
  grantee: grant.grantees.map((id) => ({ id })),
  permission: grant.permissions,
  ...(grant.effect && { effect: grant.effect }),
  ...(grant.resources && { resource: grant.resources }),
  ...(grant.exceptResources && { notResource: grant.exceptResources }),
});

const grantOfJson = (json: JsonGrant): Grant => ({
  grantees: json.grantee.map((grantee) => assertFields({ ...grantee }, ['id']).id),
  permissions: json.permission,
  ...(json.effect && { effect: json.effect }),
  ...(json.resource && { resources: json.resource }),
  ...(json.notResource && { exceptResources: json.notResource }),
});

interface JsonCorsRule extends Omit<CorsRule, 'exposedHeaders'> {
  readonly allowedExposeHeaders?: readonly string[];
}

const corsToJson = ({ exposedHeaders, ...rule }: CorsRule): JsonCorsRule => ({
  ...rule,
  ...(exposedHeaders && { allowedExposeHeaders: exposedHeaders }),
});

const corsOfJson = ({ allowedExposeHeaders, ...rule }: JsonCorsRule): CorsRule => ({
  ...rule,
  ...(allowedExposeHeaders && { exposedHeaders: allowedExposeHeaders }),
});

interface JsonLifecycleRule {
  readonly id?: string;
  readonly status: 'enabled' | 'disabled';
  readonly resource: readonly string[];
  readonly condition: { readonly time?: { readonly dateGreaterThan?: string } };
  readonly action: { readonly name: LifecycleRule['action'] };
}

function timeToJson({ days, date }: LifecycleRule): JsonLifecycleRule['condition'] {
  if (days !== undefined) return { time: { dateGreaterThan: `$(lastModified)+P${days}D` } };
  if (date === undefined) return {};
  return { time: { dateGreaterThan: date.toISOString().replace('.000', '') } };
}

const lifecycleToJson = (bucket: string, rule: LifecycleRule): JsonLifecycleRule => ({
  ...(rule.id !== undefined && { id: rule.id }),
  status: rule.enabled ? 'enabled' : 'disabled',
  resource: rule.prefixes.map((prefix) => `${bucket}/${prefix}*`),
  condition: timeToJson(rule),
  action: { name: rule.action },
});

function lifecycleOfJson(bucket: string, json: JsonLifecycleRule): LifecycleRule {
  const text = json.condition.time?.dateGreaterThan;
  const days = /^\$\(lastModified\)\+P(\d+)D$/.exec(text ?? '')?.[1];
  return {
    ...(json.id !== undefined && { id: json.id }),
    enabled: json.status === 'enabled',
    prefixes: json.resource.map((name) => name.slice(bucket.length + 1).replace(/\*$/, '')),
    ...(days !== undefined && { days: Number(days) }),
    ...(text !== undefined && days === undefined && { date: new Date(text) }),
    action: json.action.name,
  };
}

/** The grants of a list, which must have no other fields. */
const grantsIn = (list: readonly JsonGrant[]): Grant[] =>
  list.map((one) => {
    assertFields({ ...one }, ['grantee', 'permission'], ['effect', 'resource', 'notResource']);
    return grantOfJson(one);
  });

export const settings: SettingBodies = {
  aclText: (grants) => JSON.stringify({ accessControlList: grants.map(grantToJson) }),
  bucketAclIn(answer) {
    const { owner, accessControlList } = fieldsOf(answer, ['owner', 'accessControlList']);
    assertFields(owner, ['id']);
    return { ownerId: owner.id, grants: grantsIn(accessControlList) };
  },
  objectAclIn: (answer) => grantsIn(fieldsOf(answer, ['accessControlList']).accessControlList),
  corsText: (rules) => JSON.stringify({ corsConfiguration: rules.map(corsToJson) }),
  corsIn: (answer) =>
    fieldsOf(answer, ['corsConfiguration']).corsConfiguration.map((rule: JsonCorsRule) => {
      const optional = ['allowedHeaders', 'allowedExposeHeaders', 'maxAgeSeconds'];
      assertFields({ ...rule }, ['allowedOrigins', 'allowedMethods'], optional);
      return corsOfJson(rule);
    }),
  lifecycleText: (rules, bucket) =>
    JSON.stringify({ rule: rules.map((one) => lifecycleToJson(bucket, one)) }),
  lifecycleIn: (answer, bucket) =>
    fieldsOf(answer, ['rule']).rule.map((one: JsonLifecycleRule) => {
      assertFields({ ...one }, ['id', 'status', 'resource', 'condition', 'action']);
      return lifecycleOfJson(bucket, one);
    }),
};
