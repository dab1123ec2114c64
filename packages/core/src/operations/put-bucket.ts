import { StorageError } from '../errors.js';
import { bucketAclHeader, bucketAclOf } from '../http/acl-input.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';
import { bucketKey, ownedKey, ownedPrefix, settingKey } from '../model/keys.js';
import type { BucketRecord } from '../model/records.js';

/** Creates a bucket that belongs to the caller. A name that is taken is refused, whoever has it. */
export const putBucket = operation({
  name: 'PutBucket',
  route: { method: 'PUT', on: 'new bucket' },
  permission: 'CREATE',
  takes: 'nothing',
  input: bucketAclHeader,

  async run({ store, bucketName, input, principal: owner, announce }) {
    if (owner === undefined) throw new StorageError('AccessDenied');
    const { metadata, settings, now } = store;
    const limit = settings.maxBucketsPerOwner;
    const owned = await metadata.list({ prefix: ownedPrefix(owner), limit });
    if (owned.length >= limit) throw new StorageError('TooManyBuckets');
    const record: BucketRecord = {
      owner,
      created: now(),
      storageClass: 'STANDARD',
      closing: false,
      settings: input.acl === undefined ? [] : ['acl'],
    };
    const acl =
      input.acl === undefined
        ? []
        : [{ key: settingKey(bucketName, 'acl'), value: bucketAclOf(input.acl, owner) }];
    const created = await metadata.commit({
      expect: [{ key: bucketKey(bucketName), version: undefined }],
      put: [
        { key: bucketKey(bucketName), value: record },
        { key: ownedKey(owner, bucketName), value: null },
        ...acl,
      ],
    });
    if (!created) throw new StorageError('BucketAlreadyExists');
    announce('bucket:created', { key: '' });
  },

  respond: (_, { bucketName }) => empty(200, { location: `/${bucketName}` }),
});
