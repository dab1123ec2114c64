import type { CorsRule, LifecycleRule } from '../../actions/settings.js';
import type { Grant, Permission } from '../../actions/values.js';
import { assertFields } from './connection.js';

/** How this dialect writes access control lists, CORS rules and lifecycle rules. */

export interface JsonGrant {
  readonly grantee: readonly { readonly id: string }[];
  readonly permission: readonly Permission[];
  readonly effect?: 'Allow' | 'Deny';
  readonly resource?: readonly string[];
  readonly notResource?: readonly string[];
}

export const grantToJson = (grant: Grant): JsonGrant => ({
  grantee: grant.grantees.map((id) => ({ id })),
  permission: grant.permissions,
  ...(grant.effect && { effect: grant.effect }),
  ...(grant.resources && { resource: grant.resources }),
  ...(grant.exceptResources && { notResource: grant.exceptResources }),
});

export const grantOfJson = (json: JsonGrant): Grant => ({
  grantees: json.grantee.map((grantee) => assertFields({ ...grantee }, ['id']).id),
  permissions: json.permission,
  ...(json.effect && { effect: json.effect }),
  ...(json.resource && { resources: json.resource }),
  ...(json.notResource && { exceptResources: json.notResource }),
});

export interface JsonCorsRule extends Omit<CorsRule, 'exposedHeaders'> {
  readonly allowedExposeHeaders?: readonly string[];
}

export const corsToJson = ({ exposedHeaders, ...rule }: CorsRule): JsonCorsRule => ({
  ...rule,
  ...(exposedHeaders && { allowedExposeHeaders: exposedHeaders }),
});

export const corsOfJson = ({ allowedExposeHeaders, ...rule }: JsonCorsRule): CorsRule => ({
  ...rule,
  ...(allowedExposeHeaders && { exposedHeaders: allowedExposeHeaders }),
});

export interface JsonLifecycleRule {
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

export const lifecycleToJson = (bucket: string, rule: LifecycleRule): JsonLifecycleRule => ({
  ...(rule.id !== undefined && { id: rule.id }),
  status: rule.enabled ? 'enabled' : 'disabled',
  resource: rule.prefixes.map((prefix) => `${bucket}/${prefix}*`),
  condition: timeToJson(rule),
  action: { name: rule.action },
});

export function lifecycleOfJson(bucket: string, json: JsonLifecycleRule): LifecycleRule {
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
