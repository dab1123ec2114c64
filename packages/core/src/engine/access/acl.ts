import type { Principal } from '../../contracts/principal.js';
import type { Grant, Grantee } from '../records/acls.js';
import { matchesWildcard } from '../wildcard.js';

/** The permissions that a grant can have on a bucket, and on an object. */
export const BUCKET_PERMISSIONS = ['READ', 'LIST', 'WRITE', 'MODIFY', 'FULL_CONTROL'] as const;
export const OBJECT_PERMISSIONS = ['READ', 'FULL_CONTROL'] as const;

const EVERYBODY = [{ id: '*' }];

/** Whether a grantee includes anonymous callers, who have no tenant. */
const isEverybody = ({ id, tenantId }: Grantee): boolean => id === '*' && tenantId === undefined;

/** The canned lists, without the permissions that the owner always has. */
export const CANNED: Readonly<Record<string, readonly Grant[]>> = {
  private: [],
  'public-read': [{ grantee: EVERYBODY, permission: ['READ'] }],
  'public-read-write': [{ grantee: EVERYBODY, permission: ['READ', 'WRITE'] }],
};

/** Whether a grantee is everyone, or every user. */
export const isPublic = ({ id, tenantId }: Grantee): boolean =>
  id === '*' && (tenantId === undefined || tenantId === '*');

export interface GrantQuestion {
  /** `undefined` for an anonymous caller. */
  readonly principal: Principal | undefined;
  readonly permission: string;
  /** `<bucket>/<key>`, or `<bucket>/` for the bucket itself. */
  readonly resource: string;
  /** The owner of the bucket. A grant without a tenant applies to a user of this tenant. */
  readonly owner: Pick<Principal, 'tenantId' | 'userId'>;
  /** Whether a grant without a tenant applies to the user with this id in any tenant. */
  readonly uniqueUserIds: boolean;
  /** Whether grants to everyone, or to every user, have no effect. */
  readonly blocksPublic: boolean;
}

/** Whether some grant allows the access and none denies it. */
export const isGranted = (grants: readonly Grant[], question: GrantQuestion): boolean =>
  !isDenied(grants, question) && grants.some((grant) => applies(grant, question));

export const isDenied = (grants: readonly Grant[], question: GrantQuestion): boolean =>
  grants.some((grant) => grant.effect === 'Deny' && applies(grant, question));

/** Whether some grant allows the access to anything in the bucket, whatever other grants deny. */
export const isGrantedSomewhere = (grants: readonly Grant[], question: GrantQuestion): boolean =>
  grants.some((grant) => grant.effect !== 'Deny' && isAbout(grant, question));

/** Whether grantee and permission match. The resource is not checked. */
function isAbout(grant: Grant, question: GrantQuestion): boolean {
  const { grantee, permission: granted } = grant;
  return (
    grantee.some((who) => names(who, grant, question)) &&
    (granted.includes(question.permission) || granted.includes('FULL_CONTROL'))
  );
}

function applies(grant: Grant, question: GrantQuestion): boolean {
  const { resource } = question;
  const { resource: about, notResource: except } = grant;
  return (
    isAbout(grant, question) &&
    (about === undefined || about.some((pattern) => matchesWildcard(pattern, resource))) &&
    !except?.some((pattern) => matchesWildcard(pattern, resource))
  );
}

/** User ids are unique only within a tenant. A Deny without a tenant applies to all tenants. */
function names(grantee: Grantee, { effect }: Grant, question: GrantQuestion): boolean {
  const { id, tenantId } = grantee;
  const { principal, owner, uniqueUserIds } = question;
  if (isPublic(grantee) && effect !== 'Deny' && question.blocksPublic) return false;
  if (isEverybody(grantee)) return true;
  if (principal === undefined || (id !== principal.userId && id !== '*')) return false;
  if (tenantId !== undefined) return isPublic(grantee) || tenantId === principal.tenantId;
  // The canned lists name the owner by id alone, which no other user matches.
  const isAnyTenant = effect === 'Deny' || (uniqueUserIds && id !== owner.userId);
  return isAnyTenant || principal.tenantId === owner.tenantId;
}
