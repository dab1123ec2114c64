import { StorageError } from '../errors.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';
import { readBucket } from '../model/buckets.js';
import { bucketKey, objectPrefix, ownedKey } from '../model/keys.js';
import { transact } from '../model/store.js';

/**
 * Deletes a bucket that holds no object. The bucket is marked before it is searched: a commit
 * that puts an object into it clears the mark, and then the deletion does not happen.
 */
export const deleteBucket = operation({
  name: 'DeleteBucket',
  route: { method: 'DELETE', on: 'bucket' },
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  input: {},

  async run({ store, bucketName }) {
    const key = bucketKey(bucketName);
    await transact(store, async () => {
      const { record, version } = await readBucket(store, bucketName);
      const mark = { key, value: { ...record, closing: true } };
      return { change: { expect: [{ key, version }], put: [mark] }, result: undefined };
    });
    await transact(store, async () => {
      const { record, version } = await readBucket(store, bucketName);
      const found = await store.metadata.list({ prefix: objectPrefix(bucketName), limit: 1 });
      if (found.length > 0 || !record.closing) throw new StorageError('BucketNotEmpty');
      const remove = [key, ownedKey(record.owner, bucketName)];
      return { change: { expect: [{ key, version }], delete: remove }, result: undefined };
    });
  },

  respond: () => empty(204),
});
