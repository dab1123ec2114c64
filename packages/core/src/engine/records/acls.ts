import { RecordKind } from './kind.js';
import { isText, listOf, oneOf, optional, shape } from './shape.js';

/** The user or users that a grant applies to. */
export interface Grantee {
  /**
   * A user id. `*` without a tenant means everyone, including anonymous callers; with a tenant,
   * every user of that tenant; with the tenant `*`, every user.
   */
  readonly id: string;
  /** The tenant of the user. Default: the tenant of the bucket's owner. */
  readonly tenantId?: string;
}

/** One entry of an access control list, in the wire format. */
export interface Grant {
  readonly grantee: readonly Grantee[];
  readonly permission: readonly string[];
  /**
   * The resources that the grant applies to, as `<bucket>/<prefix>*`. Default: everything in the
   * bucket.
   */
  readonly resource?: readonly string[];
  /** The resources that it does not apply to. */
  readonly notResource?: readonly string[];
  /** `Deny` wins over every `Allow`. Default `Allow`. */
  readonly effect?: 'Allow' | 'Deny';
}

/** An object's own list, which replaces the bucket's list for reading the object. */
export interface OwnAcl {
  readonly acl?: readonly Grant[] | undefined;
  /** The id of the separate record of a long list. */
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
