import { operation } from '../http/operation.js';
import { uploadId } from '../http/part-input.js';
import { empty } from '../http/render.js';
import { dropUpload } from '../model/garbage.js';
import { uploadKey } from '../model/keys.js';
import { together, transact } from '../model/store.js';
import { requireUpload } from '../model/uploads.js';

/** Ends an upload without an object. A part that arrives later finds no upload and leaves nothing. */
export const abortMultipartUpload = operation({
  name: 'AbortMultipartUpload',
  route: { method: 'DELETE', on: 'object', query: ['uploadId'] },
  permission: 'WRITE',
  modifies: true,
  takes: 'nothing',
  input: { uploadId },

  run: ({ store, bucketName: bucket, key, input }) =>
    transact(store, async () => {
      const { version } = await requireUpload(store, { bucket, key, ...input });
      const name = uploadKey(bucket, key, input.uploadId);
      const end = { expect: [{ key: name, version }], delete: [name] };
      return { change: together(end, dropUpload(store, input.uploadId)), result: undefined };
    }),

  respond: () => empty(204),
});
