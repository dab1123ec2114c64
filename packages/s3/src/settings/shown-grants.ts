import type { Grant, Grantee } from '@bucketware/core/dialect';
import { unsupported } from '../errors.js';
import type { XmlChildren } from '../xml/write.js';
import { ALL_USERS, USERS } from './grants.js';

interface Owner {
  readonly userId: string;
  readonly userName: string;
}

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';

/** An access control list in the form of S3. The owner has all permissions, listed or not. */
export function policyOf(grants: readonly Grant[], owner: Owner, bucket?: string): XmlChildren {
  const isOwners = (grant: XmlChildren) => (grant.Grantee as XmlChildren).ID === owner.userId;
  const shown = grants.flatMap((grant) => shownGrants(grant, owner, bucket));
  return {
    Owner: { ID: owner.userId, DisplayName: owner.userName },
    AccessControlList: {
      Grant: [
        ...shown.filter((grant) => !isOwners(grant)),
        shownGrant({ id: owner.userId }, 'FULL_CONTROL', owner),
      ],
    },
  };
}

function shownGrants(grant: Grant, owner: Owner, bucket: string | undefined): XmlChildren[] {
  if (bucket !== undefined && isLookUp(grant, bucket)) return [];
  const { grantee, permission, resource, notResource, effect } = grant;
  const isPlain = resource === undefined && notResource === undefined && effect !== 'Deny';
  return grantee.flatMap((who) =>
    permission.map((name) => {
      const shown = isPlain ? shownPermission(name, bucket !== undefined) : undefined;
      if (shown === undefined || (who.tenantId !== undefined && !isEveryUser(who))) throw foreign();
      return shownGrant(who, shown, owner);
    }),
  );
}

/**
 * Whether a grant is the one that accompanies LIST, so that a caller who may list a bucket can also
 * look it up.
 */
const isLookUp = ({ permission, resource, effect }: Grant, bucket: string): boolean =>
  effect !== 'Deny' &&
  permission.every((name) => name === 'READ') &&
  resource?.every((path) => path === `${bucket}/`) === true;

function shownPermission(name: string, isBucket: boolean): string | undefined {
  if (name === 'FULL_CONTROL') return name;
  if (isBucket) return { LIST: 'READ', WRITE: 'WRITE' }[name];
  return name === 'READ' ? name : undefined;
}

const isEveryUser = ({ id, tenantId }: Grantee): boolean => id === '*' && tenantId === '*';

function shownGrant(who: Grantee, permission: string, owner: Owner): XmlChildren {
  const { id } = who;
  const name = id === owner.userId ? owner.userName : id;
  const group = isEveryUser(who) ? USERS : ALL_USERS;
  const grantee =
    id === '*'
      ? { '@xmlns:xsi': XSI, '@xsi:type': 'Group', URI: group }
      : { '@xmlns:xsi': XSI, '@xsi:type': 'CanonicalUser', ID: id, DisplayName: name };
  return { Grantee: grantee, Permission: permission };
}

const foreign = () =>
  unsupported(
    'The access control list was set through another interface and cannot be expressed in S3.',
  );
