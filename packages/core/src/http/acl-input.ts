import type { Principal } from '../contracts/principal.js';
import {
  BUCKET_PERMISSIONS,
  CANNED,
  type Grant,
  type Grantee,
  OBJECT_PERMISSIONS,
} from '../engine/access/acl.js';
import { StorageError } from '../errors.js';
import { MAX_GRANTS, MAX_SETTINGS_BODY_BYTES } from '../limits.js';
import {
  type Codec,
  header,
  type InputOf,
  isAbsent,
  isObject,
  isText,
  json,
  oneOf,
  Unfit,
} from './fields.js';
import { type Author, requireMembers } from './members.js';
import type { JsonBody } from './operation.js';
import { utf8Of } from './query.js';

/** An access control list comes in a header or in the body, never in both. */
export const aclBody: JsonBody = {
  maxBytes: MAX_SETTINGS_BODY_BYTES,
  tooLarge: 'MaxMessageLengthExceeded',
  optional: true,
};

const GRANTEE = /^id="([^"]{1,256})"(?:\s*;\s*tenantId="([^"]{1,256})")?$/;

/** `id="u1",id="u2";tenantId="t2"`; a program gives ids, or objects with both. */
const grantees: Codec<readonly Grantee[], readonly (string | Grantee)[]> = {
  fromText: (found) =>
    (utf8Of(found) ?? '').split(',').map((item) => {
      const [, id, tenantId] = GRANTEE.exec(item.trim()) ?? [];
      if (id === undefined) throw new Unfit('a list such as id="u1",id="u2";tenantId="t2"');
      return granteeOf({ id, tenantId });
    }),
  fromValue(given) {
    const all = Array.isArray(given) ? given.map((who) => (isId(who) ? { id: who } : who)) : [];
    if (all.length === 0 || !all.every(isGrantee)) {
      throw new Unfit('a list of user ids, or of { id, tenantId }');
    }
    return all.map(granteeOf);
  },
};

const isId = (id: unknown): id is string => isText(id) && id !== '' && id.length <= 256;
const isGrantee = (who: unknown): who is Grantee =>
  isObject(who) && isId(who.id) && (who.tenantId === undefined || isId(who.tenantId));

/** Nothing else of what was given is kept. */
const granteeOf = ({ id, tenantId }: { id: string; tenantId?: string | undefined }): Grantee =>
  tenantId === undefined ? { id } : { id, tenantId };

/** What PutObject and its kin, and PutObjectAcl, take in headers. */
export const objectAclHeaders = {
  acl: header('x-svc-acl', oneOf('private', 'public-read')),
  grantRead: header('x-svc-grant-read', grantees),
  grantFullControl: header('x-svc-grant-full-control', grantees),
};

export const bucketAclHeader = {
  acl: header('x-svc-acl', oneOf('private', 'public-read', 'public-read-write')),
};

/** The list that these headers describe, or `undefined` without any of them. */
export function objectAclOf(input: InputOf<typeof objectAclHeaders>): readonly Grant[] | undefined {
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

/** `accessControlList` of a body; `undefined` when there is no body. */
const grants = (permissions: readonly string[]) =>
  json<readonly Grant[] | undefined, readonly Grant[] | undefined>(
    'accessControlList',
    (list, author) => grantsOf(list, permissions, author),
  );
export const bucketGrants = grants(BUCKET_PERMISSIONS);
export const objectGrants = grants(OBJECT_PERMISSIONS);

/** Exactly one of two ways to say it. */
export function oneWay<T>(inHeader: T | undefined, inBody: T | undefined): T {
  if (inHeader !== undefined && inBody !== undefined) {
    throw new StorageError('MalformedJSON', 'Give a canned list or a list of grants, not both.');
  }
  const given = inHeader ?? inBody;
  if (given === undefined) {
    throw new StorageError('MalformedJSON', 'Give a canned list, or a list of grants.');
  }
  return given;
}

function grantsOf(
  list: unknown,
  permissions: readonly string[],
  author: Author,
): readonly Grant[] | undefined {
  if (list === undefined) return undefined;
  if (!Array.isArray(list)) {
    throw inappropriate(
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
  if (!isObject(item)) throw inappropriate('A grant must be an object.');
  requireMembers('A grant', item, OF_GRANTS, author);
  const { grantee, permission, resource, notResource, effect, condition } = item;
  if (!Array.isArray(grantee) || grantee.length === 0 || !grantee.every(isGrantee)) {
    throw inappropriate(
      'A grantee must be a list such as [{"id": "..."}] or [{"id": "...", "tenantId": "..."}].',
    );
  }
  for (const who of grantee) requireMembers('A grantee', who, OF_GRANTEES, author);
  const known = (name: unknown) => permissions.includes(name as string);
  if (!Array.isArray(permission) || permission.length === 0 || !permission.every(known)) {
    throw inappropriate(`A permission must be a list of ${permissions.join(', ')}.`);
  }
  if (effect !== undefined && effect !== 'Allow' && effect !== 'Deny') {
    throw inappropriate('An effect must be Allow or Deny.');
  }
  if (!isAbsent(condition)) {
    throw new StorageError('NotImplemented', 'Grants with a condition are not offered.');
  }
  // Where an object has been renamed, a path would be about another object or none.
  if (permissions === OBJECT_PERMISSIONS && (resource ?? notResource) !== undefined) {
    throw inappropriate('The list of an object is about that object: leave resource out.');
  }
  return {
    grantee: grantee.map(granteeOf),
    permission: permission as string[],
    ...(resource === undefined ? undefined : { resource: patterns(resource) }),
    ...(notResource === undefined ? undefined : { notResource: patterns(notResource) }),
    ...(effect === undefined ? undefined : { effect }),
  };
}

function patterns(value: unknown): string[] {
  const isPattern = (item: unknown) => isText(item) && item.split('*').length <= 2;
  if (!Array.isArray(value) || value.length === 0 || !value.every(isPattern)) {
    throw inappropriate('A resource must be a list of one or more texts with at most one * each.');
  }
  return value as string[];
}

const inappropriate = (message: string) => new StorageError('InappropriateJSON', message);
