import { expectBucket } from '../engine/buckets/buckets.js';
import { dropUpload } from '../engine/garbage/garbage.js';
import { uploadKey } from '../engine/records/keys.js';
import { together, transact } from '../engine/store.js';
import { makeRoom } from '../engine/uploads/upload-room.js';
import { requireUpload } from '../engine/uploads/uploads.js';
import { operation } from '../http/operation.js';
import { uploadId } from '../http/part-input.js';
import { empty } from '../http/render.js';

/** Ends an upload without an object. A part that arrives later finds no upload and leaves nothing. */
export const abortMultipartUpload = operation({
  name: 'AbortMultipartUpload',
  route: { method: 'DELETE', on: 'object', query: ['uploadId'] },
  // MODIFY is not enough: the upload may be another caller's.
  permission: 'WRITE',
  takes: 'nothing',
  input: { uploadId },

  async run({ store, permit, key, input: { uploadId } }) {
    const bucketId = await transact(store, async () => {
      const bucket = await permit.current();
      const { version, record } = await requireUpload(store, { bucket, key, uploadId });
      const name = uploadKey(bucket.id, key, uploadId);
      const end = { expect: [{ key: name, version }], delete: [name] };
      const change = together(expectBucket(bucket), end, dropUpload(store, uploadId, record));
      return { change, result: bucket.id };
    });
    makeRoom(store, bucketId);
  },

  respond: () => empty(204),
});
