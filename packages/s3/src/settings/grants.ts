import {
  type Grant,
  type Grantee,
  type InputSource,
  MAX_GRANTS,
  type Reader,
  utf8Of,
} from '@bucketware/core/dialect';
import { invalid, S3Error, unsupported } from '../errors.js';
import { amz } from '../readers.js';
import type {
  AccessControlPolicy,
  Grantee as WrittenGrantee,
} from '../xml/documents/access-control-policy.js';

/*
 * Converts access control lists of S3 to those of the storage. In S3, READ on a bucket allows
 * listing it, but not reading its objects. In the storage, that is LIST, plus READ on the bucket
 * itself for HeadBucket. The owner of a bucket also owns its objects and always has all
 * permissions.
 */

const GROUPS = 'http://acs.amazonaws.com/groups/global/';
export const ALL_USERS = `${GROUPS}AllUsers`;
export const USERS = `${GROUPS}AuthenticatedUsers`;
const EVERYBODY: Grantee = { id: '*' };
/** All authenticated users. */
const EVERY_USER: Grantee = { id: '*', tenantId: '*' };

type S3Permission = 'READ' | 'WRITE' | 'READ_ACP' | 'WRITE_ACP' | 'FULL_CONTROL';

/** What a list applies to. */
export type About = { readonly on: 'bucket'; readonly bucket: string } | { readonly on: 'object' };

function grantsFor(about: About, grantee: readonly Grantee[], permission: S3Permission): Grant[] {
  if (permission === 'FULL_CONTROL') return [{ grantee, permission: [permission] }];
  if (permission === 'READ_ACP' || permission === 'WRITE_ACP') {
    throw unsupported(`${permission} is not supported. Grant FULL_CONTROL.`);
  }
  if (about.on === 'object') {
    // WRITE has no meaning on an object.
    return permission === 'READ' ? [{ grantee, permission: ['READ'] }] : [];
  }
  if (permission === 'WRITE') return [{ grantee, permission: ['WRITE'] }];
  return [
    { grantee, permission: ['LIST'] },
    { grantee, permission: ['READ'], resource: [`${about.bucket}/`] },
  ];
}

const CANNED: Readonly<Record<string, readonly S3Permission[]>> = {
  private: [],
  'public-read': ['READ'],
  'public-read-write': ['READ', 'WRITE'],
  // The owner of the bucket also owns the object.
  'bucket-owner-read': [],
  'bucket-owner-full-control': [],
};

function cannedGrants(name: string, about: About): readonly Grant[] {
  const permissions = Object.hasOwn(CANNED, name) ? CANNED[name] : undefined;
  if (permissions !== undefined) {
    return permissions.flatMap((permission) => grantsFor(about, [EVERYBODY], permission));
  }
  if (name === 'authenticated-read') return grantsFor(about, [EVERY_USER], 'READ');
  if (/^(aws-exec-read|log-delivery-write)$/.test(name)) {
    throw unsupported(`The canned list ${name} is not supported.`);
  }
  throw invalid('The header x-amz-acl must be the name of a canned list, such as public-read.');
}

const GRANTEE = /^(id|uri|emailAddress)\s*=\s*(?:"([^"]*)"|([^",\s]+))$/i;

const HEADERS: Readonly<Record<string, S3Permission>> = {
  'x-amz-grant-read': 'READ',
  'x-amz-grant-write': 'WRITE',
  'x-amz-grant-read-acp': 'READ_ACP',
  'x-amz-grant-write-acp': 'WRITE_ACP',
  'x-amz-grant-full-control': 'FULL_CONTROL',
};

/** Throws when a permission is granted to more users than a grant may name. */
function requireFew(users: readonly unknown[]): void {
  if (users.length <= MAX_GRANTS) return;
  throw invalid(`Each permission can be granted to at most ${MAX_GRANTS} users.`);
}

function granteesIn(list: string): readonly Grantee[] {
  const items = (utf8Of(list) ?? '').split(',', MAX_GRANTS + 1);
  requireFew(items);
  return items.map((item) => {
    const [, kind = '', quoted, bare] = GRANTEE.exec(item.trim()) ?? [];
    const value = quoted ?? bare ?? '';
    if (kind.toLowerCase() === 'id') return granteeOf({ type: 'CanonicalUser', ID: value });
    if (kind.toLowerCase() === 'uri') return granteeOf({ type: 'Group', URI: value });
    if (kind !== '') return granteeOf({ type: 'AmazonCustomerByEmail', EmailAddress: value });
    throw invalid('Grantees must be a list in UTF-8, such as id="u1", uri="<group>".');
  });
}

function granteeOf(grantee: WrittenGrantee): Grantee {
  if (grantee.type === 'CanonicalUser') {
    if (grantee.ID !== '' && grantee.ID !== '*') return { id: grantee.ID };
    throw invalid('Invalid id');
  }
  if (grantee.type === 'AmazonCustomerByEmail') {
    const message = 'The e-mail address you provided does not match any account on record.';
    throw new S3Error('UnresolvableGrantByEmailAddress', message);
  }
  if (grantee.URI === ALL_USERS) return EVERYBODY;
  if (grantee.URI === USERS) return EVERY_USER;
  if (grantee.URI.startsWith(GROUPS)) {
    throw unsupported('Grants are for users, AuthenticatedUsers or AllUsers.');
  }
  throw invalid('Invalid group uri');
}

const ACL = amz('x-amz-acl');
const GRANT_HEADERS = Object.keys(HEADERS).map((name) => amz(name));

/** The list that headers describe, or `undefined` if there are no such headers. */
function grantsInHeaders(source: InputSource, about: About): readonly Grant[] | undefined {
  const canned = ACL.read(source);
  const listed = GRANT_HEADERS.flatMap((reader) => {
    const list = reader.read(source);
    const permission = HEADERS[reader.headers?.[0] as string] as S3Permission;
    return list === undefined ? [] : [grantsFor(about, granteesIn(list), permission)];
  });
  if (canned === undefined) return listed.length === 0 ? undefined : listed.flat();
  if (listed.length > 0) throw bothWays();
  return cannedGrants(canned, about);
}

const bothWays = () =>
  new S3Error('InvalidRequest', 'Specifying both Canned ACLs and Header Grants is not allowed');

/** The list of a body, with one grant for all users who have the same permission. */
function grantsInPolicy(policy: AccessControlPolicy, about: About): readonly Grant[] {
  const users = new Map<S3Permission, Grantee[]>();
  for (const { Grantee: who, Permission } of policy.AccessControlList?.Grant ?? []) {
    const others = users.get(Permission) ?? [];
    users.set(Permission, others);
    others.push(granteeOf(who));
  }
  return [...users].flatMap(([permission, grantee]) => {
    // What S3 shows also contains the owner.
    requireFew(grantee.filter(({ id }) => id !== policy.Owner?.ID));
    return grantsFor(about, grantee, permission);
  });
}

const READ_HEADERS = ['x-amz-acl', ...Object.keys(HEADERS)];

/** Reads a list from headers or, if allowed, from the body. */
export function aclReader(
  on: About['on'],
  body?: (source: InputSource) => AccessControlPolicy | undefined,
): Reader<readonly Grant[] | undefined> {
  return {
    label: 'The access control list',
    headers: READ_HEADERS,
    query: READ_HEADERS,
    read(source) {
      const about: About = on === 'bucket' ? { on, bucket: source.bucket } : { on };
      const inHeaders = grantsInHeaders(source, about);
      const policy = body?.(source);
      if (policy === undefined) return inHeaders;
      if (inHeaders === undefined) return grantsInPolicy(policy, about);
      const message = 'This request does not support content: the list is already in headers.';
      throw new S3Error('UnexpectedContent', message);
    },
  };
}

/** The canned lists of an object, as the storage names them. */
const OF_OBJECTS: Readonly<Record<string, 'private' | 'public-read'>> = {
  private: 'private',
  'public-read': 'public-read',
  'public-read-write': 'public-read',
  'bucket-owner-read': 'private',
  'bucket-owner-full-control': 'private',
};

/**
 * Returns `undefined` for the list for all users, for which {@link usersOf} returns the grantees.
 * Throws if there is no such canned list.
 */
export function cannedForObjects(name: string): 'private' | 'public-read' | undefined {
  cannedGrants(name, { on: 'object' });
  return OF_OBJECTS[name];
}

/** The grantees of the canned list for all users. */
export const usersOf = (name: string | undefined): readonly Grantee[] | undefined =>
  name === 'authenticated-read' ? [EVERY_USER] : undefined;

/** Reads a header with grants. Throws if there is also a canned list. */
function granted(name: string): Reader<readonly Grantee[] | undefined> {
  const reader = amz(name, granteesIn);
  return {
    ...reader,
    read(source) {
      const listed = reader.read(source);
      if (listed !== undefined && ACL.read(source) !== undefined) throw bothWays();
      return listed;
    },
  };
}

const GRANT_READ = granted('x-amz-grant-read');

/** The list of a new object, for PutObject and similar operations. */
export const objectAclHeaders = {
  acl: amz('x-amz-acl', cannedForObjects),
  grantRead: {
    ...GRANT_READ,
    read: (source: InputSource) => GRANT_READ.read(source) ?? usersOf(ACL.read(source)),
  },
  grantFullControl: granted('x-amz-grant-full-control'),
};
