import {
  bucketKey,
  newBucketId,
  ownedKey,
  ownedPrefix,
  ownerKey,
  settingKey,
} from '../engine/records/keys.js';
import type { BucketRecord } from '../engine/records/types.js';
import { newId, transact } from '../engine/store.js';
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
    const { metadata, settings, now } = store;
    const key = bucketKey(bucketName);
    const id = newBucketId(bucketName, newId().slice(16));
    const acl = input.acl && bucketAclOf(input.acl, owner);
    await transact(store, async () => {
      const [existing, turn] = await metadata.getMany([key, ownerKey(owner)]);
      if (existing !== undefined) throw new StorageError('BucketAlreadyExists');
      const limit = settings.maxBucketsPerOwner;
      const owned = await metadata.list({ prefix: ownedPrefix(owner), limit });
      if (owned.length >= limit) throw new StorageError('TooManyBuckets');
      const record: BucketRecord = {
        id,
        owner,
        created: now(),
        storageClass: 'STANDARD',
        closing: false,
        settings: acl === undefined ? [] : ['acl'],
      };
      const change = {
        expect: [
          { key, version: undefined },
          { key: ownerKey(owner), version: turn?.version },
        ],
        put: [
          { key, value: record },
          { key: ownerKey(owner), value: null },
          { key: ownedKey(owner, bucketName), value: null },
          ...(acl === undefined ? [] : [{ key: settingKey(id, 'acl'), value: acl }]),
        ],
      };
      return { change, result: undefined };
    });
    announce('bucket:created', { key: '' });
  },

  respond: (_, { bucketName }) => empty(200, { location: `/${bucketName}` }),
});
