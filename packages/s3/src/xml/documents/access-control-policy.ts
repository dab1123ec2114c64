import { document, KIB, type Read } from '../document.js';
import { MalformedXmlError } from '../malformed.js';
import { fields, many, one, oneOf, optional, refined, text, token } from '../shapes.js';

const owner = fields({ ID: optional(token), DisplayName: optional(text) });

/** The grantee of a grant. `xsi:type` determines which element is used. */
export type Grantee =
  | { readonly type: 'CanonicalUser'; readonly ID: string }
  | { readonly type: 'AmazonCustomerByEmail'; readonly EmailAddress: string }
  | { readonly type: 'Group'; readonly URI: string };

const granteeFields = fields({
  ID: optional(token),
  DisplayName: optional(text),
  EmailAddress: optional(token),
  URI: optional(token),
});

const grantee = refined(granteeFields, ({ ID, EmailAddress, URI }, type): Grantee => {
  if (type === 'CanonicalUser' && ID !== undefined) return { type, ID };
  if (type === 'AmazonCustomerByEmail' && EmailAddress !== undefined) return { type, EmailAddress };
  if (type === 'Group' && URI !== undefined) return { type, URI };
  throw new MalformedXmlError(
    'Grantee needs the xsi:type CanonicalUser with an ID, AmazonCustomerByEmail with an ' +
      'EmailAddress, or Group with a URI.',
  );
});

const grant = fields({
  Grantee: one(grantee),
  Permission: one(oneOf('FULL_CONTROL', 'READ', 'READ_ACP', 'WRITE', 'WRITE_ACP')),
});

/** The body of PutBucketAcl and PutObjectAcl. */
export const accessControlPolicy = document(
  'AccessControlPolicy',
  fields({
    Owner: optional(owner),
    AccessControlList: optional(fields({ Grant: many(grant, 0, 1000) })),
  }),
  { maxBytes: 1024 * KIB, maxNodes: 10_100 },
);

export type AccessControlPolicy = Read<typeof accessControlPolicy>;
