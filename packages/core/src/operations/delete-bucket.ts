import { StorageError } from '../errors.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';
import { readBucket } from '../model/buckets.js';
import { dropUpload } from '../model/garbage.js';
import { bucketKey, objectPrefix, ownedKey, settingKey, uploadPrefix } from '../model/keys.js';
import { pages, type Store, together, transact } from '../model/store.js';

/**
 * Deletes a bucket that holds no object, with its unfinished uploads, in one commit. The bucket is
 * marked before it is searched: a commit that puts an object or upload into it clears the mark, and
 * then the search begins anew.
 */
export const deleteBucket = operation({
  name: 'DeleteBucket',
  route: { method: 'DELETE', on: 'bucket' },
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  input: {},

  async run({ store, bucketName, announce }) {
    while (!(await markOrRemove(store, bucketName)));
    announce('bucket:removed', { key: '' });
  },

  respond: () => empty(204),
});

/** True when the bucket is gone. */
function markOrRemove(store: Store, bucketName: string): Promise<boolean> {
  const key = bucketKey(bucketName);
  return transact(store, async () => {
    const { record, version } = await readBucket(store, bucketName);
    const expect = [{ key, version }];
    const objects = await store.metadata.list({ prefix: objectPrefix(bucketName), limit: 1 });
    if (objects.length > 0) throw new StorageError('BucketNotEmpty');
    if (!record.closing) {
      return {
        change: { expect, put: [{ key, value: { ...record, closing: true } }] },
        result: false,
      };
    }
    const settings = record.settings.map((name) => settingKey(bucketName, name));
    const gone = { expect, delete: [key, ownedKey(record.owner, bucketName), ...settings] };
    return { change: together(gone, ...(await endUploads(store, bucketName))), result: true };
  });
}

/** The parts of a change that end all uploads of a bucket. */
async function endUploads(store: Store, bucketName: string) {
  const ends = [];
  for await (const page of pages(store.metadata, uploadPrefix(bucketName))) {
    for (const { key, version } of page) {
      const end = { expect: [{ key, version }], delete: [key] };
      ends.push(end, dropUpload(store, key.slice(-32)));
    }
  }
  return ends;
}
