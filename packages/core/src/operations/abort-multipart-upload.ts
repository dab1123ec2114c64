import { abortUpload } from '../engine/uploads/abort.js';
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

  run: ({ store, permit, key, input: { uploadId } }) =>
    abortUpload(store, permit, { key, uploadId }),

  respond: () => empty(204),
});
