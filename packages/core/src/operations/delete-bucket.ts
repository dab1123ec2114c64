import { type Admitted, expectBucket } from '../engine/buckets/buckets.js';
import { dropBucket } from '../engine/garbage/garbage.js';
import { bucketKey, objectPrefix, ownedKey, settingKey } from '../engine/records/keys.js';
import { type Store, together, transact } from '../engine/store.js';
import { StorageError } from '../errors.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';

/**
 * Deletes a bucket that holds no object. The bucket is marked before it is searched: a commit that
 * puts an object or upload into it clears the mark, and then the search begins anew. Its unfinished
 * uploads, of which there may be any number, end with its name; sweeps remove them a page at a time.
 */
export const deleteBucket = operation({
  name: 'DeleteBucket',
  route: { method: 'DELETE', on: 'bucket' },
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  input: {},

  async run({ store, permit, announce }) {
    while (!(await markOrRemove(store, permit)));
    announce('bucket:removed', { key: '' });
  },

  respond: () => empty(204),
});

/** True when the bucket is gone. */
function markOrRemove(store: Store, permit: Admitted): Promise<boolean> {
  return transact(store, async () => {
    const bucket = await permit.current();
    const { id, name, record } = bucket;
    const key = bucketKey(name);
    const objects = await store.metadata.list({ prefix: objectPrefix(id), limit: 1 });
    if (objects.length > 0) throw new StorageError('BucketNotEmpty');
    if (!record.closing) {
      const mark = { put: [{ key, value: { ...record, closing: true } }] };
      return { change: together(expectBucket(bucket), mark), result: false };
    }
    const settings = record.settings.map((setting) => settingKey(id, setting));
    const gone = { delete: [key, ownedKey(record.owner, name), ...settings] };
    return { change: together(expectBucket(bucket), gone, dropBucket(store, id)), result: true };
  });
}
