import { StorageError } from '../errors.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';
import { readBucket } from '../model/buckets.js';
import { dropUpload } from '../model/garbage.js';
import { bucketKey, objectPrefix, ownedKey, settingKey, uploadPrefix } from '../model/keys.js';
import { pages, type Store, together, transact } from '../model/store.js';

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

  async run({ store, bucketName, announce }) {
    const key = bucketKey(bucketName);
    await transact(store, async () => {
      const { record, version } = await readBucket(store, bucketName);
      const mark = { key, value: { ...record, closing: true } };
      return { change: { expect: [{ key, version }], put: [mark] }, result: undefined };
    });
    await endUploads(store, bucketName);
    await transact(store, async () => {
      const { record, version } = await readBucket(store, bucketName);
      const { metadata } = store;
      const found = await metadata.list({ prefix: objectPrefix(bucketName), limit: 1 });
      if (found.length > 0 || !record.closing) throw new StorageError('BucketNotEmpty');
      const settings = record.settings.map((name) => settingKey(bucketName, name));
      const remove = [key, ownedKey(record.owner, bucketName), ...settings];
      return { change: { expect: [{ key, version }], delete: remove }, result: undefined };
    });
    announce('bucket:removed', { key: '' });
  },

  respond: () => empty(204),
});

/** Unfinished uploads do not keep a bucket alive; they end with it. */
async function endUploads(store: Store, bucketName: string): Promise<void> {
  const objects = await store.metadata.list({ prefix: objectPrefix(bucketName), limit: 1 });
  if (objects.length > 0) throw new StorageError('BucketNotEmpty');
  for await (const page of pages(store.metadata, uploadPrefix(bucketName))) {
    for (const { key } of page) {
      await transact(store, async () => {
        const entry = await store.metadata.get(key);
        if (entry === undefined) return { result: undefined };
        const end = { expect: [{ key, version: entry.version }], delete: [key] };
        return { change: together(end, dropUpload(store, key.slice(-32))), result: undefined };
      });
    }
  }
}
