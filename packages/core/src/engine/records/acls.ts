import type { Grant, Grantee } from '../access/acl.js';
import { RecordKind } from './kind.js';
import { isText, listOf, oneOf, optional, shape } from './shape.js';

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
