import { RecordKind } from './kind.js';
import { isText, listOf, oneOf, optional, shape } from './shape.js';

/** Whom a grant is for. */
export interface Grantee {
  /**
   * A user id. `*` without a tenant is everybody, anonymous callers included; with a tenant, every
   * user of it; with the tenant `*`, every user.
   */
  readonly id: string;
  /** The tenant of the user. Default: the tenant of the bucket's owner. */
  readonly tenantId?: string;
}

/** One entry of an access control list, in the words of the wire. */
export interface Grant {
  readonly grantee: readonly Grantee[];
  readonly permission: readonly string[];
  /** `<bucket>/<prefix>*`: what the grant is about. Default: everything in the bucket. */
  readonly resource?: readonly string[];
  /** What it is not about. */
  readonly notResource?: readonly string[];
  /** `Deny` wins over every `Allow`. Default `Allow`. */
  readonly effect?: 'Allow' | 'Deny';
}

/** Takes the place of the bucket's list where the object is read. */
export interface OwnAcl {
  readonly acl?: readonly Grant[] | undefined;
  /** A long list has a record of its own, which this is the id of. */
  readonly aclId?: string | undefined;
}

const isTexts = listOf<string>(isText);

export const isGrants = listOf<Grant>(
  shape<Grant>({
    grantee: listOf(shape<Grantee>({ id: isText, tenantId: optional(isText) })),
    permission: isTexts,
    resource: optional(isTexts),
    notResource: optional(isTexts),
    effect: optional(oneOf('Allow', 'Deny')),
  }),
);

/** The long list of an object or upload, by the list's id. */
export const aclRecords = new RecordKind<string, readonly Grant[]>({
  name: 'an access control list',
  prefix: 'a/',
  key: (id) => `a/${id}`,
  parse: (key) => key.slice(2),
  fits: isGrants,
});
