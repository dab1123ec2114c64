import { createBucket } from '../engine/buckets/create.js';
import { StorageError } from '../errors.js';
import { bucketAclHeader, bucketAclOf } from '../http/acl-input.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';
import { MAX_SETTINGS_BODY_BYTES } from '../limits.js';

/** Creates a bucket that belongs to the caller. A name that is taken is refused, whoever has it. */
export const putBucket = operation({
  name: 'PutBucket',
  route: { method: 'PUT', on: 'new bucket' },
  permission: 'CREATE',
  setsAcl: 'PutBucketAcl',
  // Clients in JavaScript always send settings of a place, which mean nothing here.
  takes: 'json',
  json: { maxBytes: MAX_SETTINGS_BODY_BYTES, optional: true, tooLarge: 'MaxMessageLengthExceeded' },
  input: bucketAclHeader,

  async run({ store, bucketName, input, principal: owner, announce }) {
    if (owner === undefined) throw new StorageError('AccessDenied');
    const acl = input.acl && bucketAclOf(input.acl, owner);
    await createBucket(store, { name: bucketName, owner, acl });
    announce('bucket:created', { key: '' });
  },

  respond: (_, { bucketName }) => empty(200, { location: `/${bucketName}` }),
});
