import { actions, empty, notSupported, operation } from '@bucketware/core/dialect';
import { versionId } from '../readers.js';
import { xml } from '../render.js';
import { xmlBody } from '../request/xml-body.js';
import { aclReader } from '../settings/grants.js';
import { policyOf } from '../settings/shown-grants.js';
import {
  type AccessControlPolicy,
  accessControlPolicy,
} from '../xml/documents/access-control-policy.js';

const body = xmlBody(accessControlPolicy, { optional: true });
const policy = ({ body: found }: { readonly body?: unknown }) =>
  found as AccessControlPolicy | undefined;

/** Every bucket has an owner. */
type Owner = Parameters<typeof policyOf>[1];

export const putBucketAcl = operation(actions.putBucketAcl, {
  route: { method: 'PUT', query: ['acl'] },
  body,
  input: { acl: notSupported, accessControlList: aclReader('bucket', policy) },
  respond: () => empty(200),
});

export const putObjectAcl = operation(actions.putObjectAcl, {
  route: { method: 'PUT', query: ['acl'] },
  body,
  input: {
    acl: notSupported,
    grantRead: notSupported,
    grantFullControl: notSupported,
    accessControlList: aclReader('object', policy),
  },
  responseInput: versionId,
  respond: () => empty(200),
});

export const getBucketAcl = operation(actions.getBucketAcl, {
  route: { method: 'GET', query: ['acl'] },
  input: {},
  respond: ({ accessControlList }, { owner, bucketName }) =>
    xml(200, 'AccessControlPolicy', policyOf(accessControlList, owner as Owner, bucketName)),
});

export const getObjectAcl = operation(actions.getObjectAcl, {
  route: { method: 'GET', query: ['acl'] },
  input: {},
  responseInput: versionId,
  respond: ({ accessControlList }, { owner }) =>
    xml(200, 'AccessControlPolicy', policyOf(accessControlList, owner as Owner)),

  /** S3 can show an object without its own list only as private to its owner. */
  recover: ({ code }, { owner }) =>
    code === 'ObjectAclNotExists'
      ? xml(200, 'AccessControlPolicy', policyOf([], owner as Owner))
      : undefined,
});
