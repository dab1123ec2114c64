import { abortUpload } from '../engine/uploads/abort.js';
import { action } from './action.js';
import { uploadId } from './parameters/part-parameters.js';

/**
 * Ends an upload without creating an object. Its parts are removed; a part that arrives later fails
 * and is not stored. Throws NoSuchUpload.
 */
export const abortMultipartUpload = action({
  name: 'AbortMultipartUpload',
  on: 'object',
  // MODIFY is not enough: the upload may be another caller's.
  permission: 'WRITE',
  takes: 'nothing',
  parameters: { uploadId },

  run: ({ store, permit, key, input: { uploadId } }) =>
    abortUpload(store, permit, { key, uploadId }),
});
