import * as v from 'valibot';
import type { Principal } from '../../contracts/principal.js';
import { BUCKET_PERMISSIONS, CANNED, OBJECT_PERMISSIONS } from '../../engine/access/acl.js';
import type { Grant, Grantee } from '../../engine/records/acls.js';
import { StorageError } from '../../errors.js';
import { MAX_GRANTS } from '../../limits.js';
import { type InputOf, isText, oneOf } from './parameter.js';
import { list, optional, record, someTexts, structure } from './schema.js';

export type { Grant, Grantee };

const isId = (id: unknown): id is string => isText(id) && id !== '' && id.length <= 256;
const id = v.custom<string>(isId, 'must be a string of 1 to 256 characters');

/**
 * The same id in every tenant would mean many different users; only `*` may have the tenant `*`.
 */
const grantee = v.pipe(
  record({ id, tenantId: optional(id) }),
  v.check(
    ({ id, tenantId }) => tenantId !== '*' || id === '*',
    'must have the id * when its tenantId is *',
  ),
);

const granteeOrId = v.pipe(
  v.unknown(),
  v.transform((who) => (typeof who === 'string' ? { id: who } : who)),
  grantee,
);

/** Up to 100 users by their ids, or by both of their ids. */
const grantees = structure<readonly Grantee[], readonly (string | Grantee)[]>(
  list(granteeOrId, 'must be a list of user ids, or of { id, tenantId }', { most: MAX_GRANTS }),
);

/** The access control list of a new object: a canned list, or grantees for each permission. */
export const objectAcl = {
  acl: oneOf('private', 'public-read'),
  grantRead: grantees,
  grantFullControl: grantees,
};

/** The canned list of a bucket. */
export const bucketAcl = { acl: oneOf('private', 'public-read', 'public-read-write') };

/** The list that these parameters describe, or `undefined` if none of them is set. */
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

/** The grants of a canned list, including those of the bucket's owner. */
export const bucketAclOf = (canned: string, owner: Principal): readonly Grant[] => [
  { grantee: [{ id: owner.userId }], permission: ['FULL_CONTROL'] },
  ...(CANNED[canned] ?? []),
];

export const MUST_BE_GRANTS = 'must be a list such as [{"grantee": ..., "permission": ...}]';
export const MUST_BE_GRANTEES =
  'must be a list such as [{"id": "..."}] or [{"id": "...", "tenantId": "..."}]';

const patterns = optional(
  someTexts(
    'must be a list of one or more strings with at most one * each',
    (pattern) => isText(pattern) && pattern.split('*').length <= 2,
  ),
);
const resources = { resource: patterns, notResource: patterns };

/** No resource may be set: after a rename, its path would refer to another object or to none. */
const none = v.exactOptional(
  v.never('must be left out: the list of an object applies only to that object'),
);
const noResources = { resource: none, notResource: none };

/** A list of grants. */
const grants = <const E extends v.ObjectEntries>(permissions: readonly string[], about: E) => {
  const grant = record({
    grantee: list(grantee, MUST_BE_GRANTEES),
    permission: someTexts(`must be a list of ${permissions.join(', ')}`, (name) =>
      permissions.includes(name),
    ),
    ...about,
    effect: optional(v.picklist(['Allow', 'Deny'], 'must be Allow or Deny')),
  });
  const all = list(grant, MUST_BE_GRANTS, { least: 0, most: MAX_GRANTS });
  return structure<readonly Grant[]>(all as v.GenericSchema<unknown, readonly Grant[]>);
};
export const bucketGrants = grants(BUCKET_PERMISSIONS, resources);
export const objectGrants = grants(OBJECT_PERMISSIONS, noResources);

/** Requires exactly one of the two forms. Throws InvalidArgument. */
export function oneWay<T>(canned: T | undefined, listed: T | undefined): T {
  const given = canned ?? listed;
  if (given === undefined || (canned !== undefined && listed !== undefined)) {
    throw new StorageError(
      'InvalidArgument',
      'Set either a canned list or a list of grants, not both.',
    );
  }
  return given;
}
