import type { Grant, Grantee } from '../actions/parameters/grants.js';
import { MUST_BE_GRANTEES, MUST_BE_GRANTS } from '../actions/parameters/grants.js';
import { list } from '../actions/parameters/schema.js';
import { StorageError } from '../errors.js';
import { utf8Of } from '../http/query.js';
import { header } from '../http/readers.js';
import { MAX_GRANTS, MAX_SETTINGS_BODY_BYTES } from '../limits.js';
import { jsonBody, member } from './json-body.js';
import { bySchema, ignored, notOffered, passed, strictObject } from './json-object.js';

/** An access control list is in a header or in the body, never in both. */
export const aclBody = jsonBody({
  maxBytes: MAX_SETTINGS_BODY_BYTES,
  tooLarge: 'MaxMessageLengthExceeded',
  optional: true,
});

const grantee = strictObject({ id: passed, tenantId: passed, displayName: ignored });

const grant = strictObject({
  grantee: list(grantee, MUST_BE_GRANTEES),
  ...{ permission: passed, resource: passed, notResource: passed, effect: passed },
  eid: ignored,
  condition: notOffered('Grants with a condition are not supported.'),
});

/** `[{"grantee": [{"id", "tenantId"}], "permission", "resource", "notResource", "effect"}]`. */
const readGrants = bySchema<readonly Grant[]>(
  list(grant, MUST_BE_GRANTS, { least: 0, most: MAX_GRANTS }),
);

/** The list in a body. A body from GetBucketAcl also contains the owner. */
export const accessControlList = member('accessControlList', readGrants, [
  'id',
  'owner',
  'version',
]);

const GRANTEE = /^id="([^"]{1,256})"(?:\s*;\s*tenantId="([^"]{1,256})")?$/;

/** `id="u1",id="u2";tenantId="t2"`. */
const grantees =
  (name: string) =>
  (found: string): readonly Grantee[] =>
    (utf8Of(found) ?? '').split(',', MAX_GRANTS + 1).map((item) => {
      const [, id, tenantId] = GRANTEE.exec(item.trim()) ?? [];
      if (id === undefined) {
        const message = `The header ${name} must be a list such as id="u1",id="u2";tenantId="t2".`;
        throw new StorageError('InvalidArgument', message);
      }
      return tenantId === undefined ? { id } : { id, tenantId };
    });

const granteesIn = (name: string) => header(name, grantees(name));

export const bucketAclHeader = { acl: header('x-svc-acl', (text) => text as 'private') };

/** The lists that PutObject, similar operations and PutObjectAcl read from headers. */
export const objectAclHeaders = {
  ...bucketAclHeader,
  grantRead: granteesIn('x-svc-grant-read'),
  grantFullControl: granteesIn('x-svc-grant-full-control'),
};

/** Requires exactly one of the two forms. */
export function requireOneWay(inHeader: readonly unknown[], inBody: unknown): void {
  const isInHeader = inHeader.some((value) => value !== undefined);
  if (isInHeader && inBody !== undefined) {
    throw new StorageError(
      'MalformedJSON',
      'Set either a canned list or a list of grants, not both.',
    );
  }
  if (!isInHeader && inBody === undefined) {
    throw new StorageError('MalformedJSON', 'Set either a canned list or a list of grants.');
  }
}
