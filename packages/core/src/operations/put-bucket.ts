import { StorageError } from '../errors.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';
import { bucketKey, ownedKey, ownedPrefix } from '../model/keys.js';
import type { BucketRecord } from '../model/records.js';

/** Creates a bucket that belongs to the caller. A name that is taken is refused, whoever has it. */
export const putBucket = operation({
  name: 'PutBucket',
  route: { method: 'PUT', on: 'new bucket' },
  permission: 'CREATE',
  takes: 'nothing',
  input: {},

  async run({ store, bucketName, principal: owner }) {
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
    };
    const created = await metadata.commit({
      expect: [{ key: bucketKey(bucketName), version: undefined }],
      put: [
        { key: bucketKey(bucketName), value: record },
        { key: ownedKey(owner, bucketName), value: null },
      ],
    });
    if (!created) throw new StorageError('BucketAlreadyExists');
  },

  respond: (_, { bucketName }) => empty(200, { location: `/${bucketName}` }),
});
