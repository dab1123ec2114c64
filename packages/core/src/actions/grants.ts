import type { Principal } from '../contracts/principal.js';
import { BUCKET_PERMISSIONS, CANNED, OBJECT_PERMISSIONS } from '../engine/access/acl.js';
import type { Grant, Grantee } from '../engine/records/acls.js';
import { StorageError } from '../errors.js';
import { MAX_GRANTS } from '../limits.js';
import type { Author } from './author.js';
import { type InputOf, isAbsent, isObject, isText, oneOf, parameter, Unfit } from './parameter.js';

/** Users by their ids, or by both of their ids. */
const grantees = parameter<readonly Grantee[], readonly (string | Grantee)[]>((given) => {
  const all = Array.isArray(given) ? given.map((who) => (isId(who) ? { id: who } : who)) : [];
  if (all.length === 0 || !all.every(isGrantee)) {
    throw new Unfit('a list of user ids, or of { id, tenantId }');
  }
  return all.map(granteeOf);
});

const isId = (id: unknown): id is string => isText(id) && id !== '' && id.length <= 256;
const isGrantee = (who: unknown): who is Grantee =>
  isObject(who) && isId(who.id) && (who.tenantId === undefined || isTenantId(who.tenantId));
/** All tenants are everybody: `{ id: '*' }`. */
const isTenantId = (id: unknown): boolean => isId(id) && id !== '*';

/** Nothing else of what was given is kept. */
const granteeOf = ({ id, tenantId }: { id: string; tenantId?: string | undefined }): Grantee =>
  tenantId === undefined ? { id } : { id, tenantId };

/** The access control list of an object that is written: a canned one, or who may do what. */
export const objectAcl = {
  acl: oneOf('private', 'public-read'),
  grantRead: grantees,
  grantFullControl: grantees,
};

/** The canned list of a bucket. */
export const bucketAcl = { acl: oneOf('private', 'public-read', 'public-read-write') };

/** The list that these parameters describe, or `undefined` without any of them. */
export function objectAclOf(input: InputOf<typeof objectAcl>): readonly Grant[] | undefined {
  const { acl, grantRead, grantFullControl } = input;
  if (acl === undefined && grantRead === undefined && grantFullControl === undefined) {
    return undefined;
  }
  const to = (grantee: readonly Grantee[] | undefined, permission: string): Grant[] =>
    grantee === undefined ? [] : [{ grantee, permission: [permission] }];
  return [
    ...(CANNED[acl ?? 'private'] ?? []),
    ...to(grantRead, 'READ'),
    ...to(grantFullControl, 'FULL_CONTROL'),
  ];
}

/** A canned list of a bucket shows what its owner has. */
export const bucketAclOf = (canned: string, owner: Principal): readonly Grant[] => [
  { grantee: [{ id: owner.userId }], permission: ['FULL_CONTROL'] },
  ...(CANNED[canned] ?? []),
];

/** A list of grants. */
const grants = (permissions: readonly string[]) =>
  parameter<readonly Grant[]>((list, author) => grantsOf(list, permissions, author));
export const bucketGrants = grants(BUCKET_PERMISSIONS);
export const objectGrants = grants(OBJECT_PERMISSIONS);

/** Exactly one of two ways to say it. Throws InvalidArgument. */
export function oneWay<T>(canned: T | undefined, listed: T | undefined): T {
  const given = canned ?? listed;
  if (given === undefined || (canned !== undefined && listed !== undefined)) {
    throw new StorageError(
      'InvalidArgument',
      'Give a canned list or a list of grants, and not both.',
    );
  }
  return given;
}

function grantsOf(list: unknown, permissions: readonly string[], author: Author): readonly Grant[] {
  if (!Array.isArray(list)) {
    throw author.malformed(
      'accessControlList must be a list such as [{"grantee": ..., "permission": ...}].',
    );
  }
  if (list.length > MAX_GRANTS) {
    throw new StorageError('InvalidArgument', `A list has at most ${MAX_GRANTS} grants.`);
  }
  return list.map((item) => grantOf(item, permissions, author));
}

const OF_GRANTS = ['grantee', 'permission', 'resource', 'notResource', 'effect', 'condition'];
const OF_GRANTEES = ['id', 'tenantId'];

function grantOf(item: unknown, permissions: readonly string[], author: Author): Grant {
  if (!isObject(item)) throw author.malformed('A grant must be an object.');
  author.requireMembers('A grant', item, OF_GRANTS);
  const { grantee, permission, resource, notResource, effect, condition } = item;
  if (!Array.isArray(grantee) || grantee.length === 0 || !grantee.every(isGrantee)) {
    throw author.malformed(
      'A grantee must be a list such as [{"id": "..."}] or [{"id": "...", "tenantId": "..."}].',
    );
  }
  for (const who of grantee) author.requireMembers('A grantee', who, OF_GRANTEES);
  const known = (name: unknown) => permissions.includes(name as string);
  if (!Array.isArray(permission) || permission.length === 0 || !permission.every(known)) {
    throw author.malformed(`A permission must be a list of ${permissions.join(', ')}.`);
  }
  if (effect !== undefined && effect !== 'Allow' && effect !== 'Deny') {
    throw author.malformed('An effect must be Allow or Deny.');
  }
  if (!isAbsent(condition)) {
    throw new StorageError('NotImplemented', 'Grants with a condition are not offered.');
  }
  // Where an object has been renamed, a path would be about another object or none.
  if (permissions === OBJECT_PERMISSIONS && (resource ?? notResource) !== undefined) {
    throw author.malformed('The list of an object is about that object: leave resource out.');
  }
  return {
    grantee: grantee.map(granteeOf),
    permission: permission as string[],
    ...(resource === undefined ? undefined : { resource: patterns(resource, author) }),
    ...(notResource === undefined ? undefined : { notResource: patterns(notResource, author) }),
    ...(effect === undefined ? undefined : { effect }),
  };
}

function patterns(value: unknown, author: Author): string[] {
  const isPattern = (item: unknown) => isText(item) && item.split('*').length <= 2;
  if (!Array.isArray(value) || value.length === 0 || !value.every(isPattern)) {
    throw author.malformed(
      'A resource must be a list of one or more texts with at most one * each.',
    );
  }
  return value as string[];
}
