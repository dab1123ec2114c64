import { objectAclHeaders, objectAclOf } from '../http/acl-input.js';
import { header } from '../http/fields.js';
import { headersOf, storageClass, storedHeaders } from '../http/object-headers.js';
import { operation } from '../http/operation.js';
import { json } from '../http/render.js';
import { keepOpen, readBucket } from '../model/buckets.js';
import { uploadKey } from '../model/keys.js';
import type { UploadRecord } from '../model/records.js';
import { together, transact } from '../model/store.js';
import { newUploadId } from '../model/uploads.js';

/**
 * Begins an upload in parts. An object that has the name already stays as it is until
 * CompleteMultipartUpload. Its headers and metadata become the object's.
 */
export const initiateMultipartUpload = operation({
  name: 'InitiateMultipartUpload',
  route: { method: 'POST', on: 'object', query: ['uploads'] },
  permission: 'WRITE',
  modifies: true,
  takes: 'nothing',
  input: {
    ...storedHeaders,
    ...objectAclHeaders,
    storageClass: header('x-svc-storage-class', storageClass),
  },

  run: ({ store, bucketName: bucket, key, input, principal, bucket: { record } }) =>
    transact(store, async () => {
      const initiated = store.now();
      const uploadId = newUploadId(initiated);
      const upload: UploadRecord = {
        initiated,
        owner: principal ?? record.owner,
        storageClass: input.storageClass ?? record.storageClass,
        completing: false,
        acl: objectAclOf(input),
        ...headersOf(input),
      };
      const name = uploadKey(bucket, key, uploadId);
      const create = {
        expect: [{ key: name, version: undefined }],
        put: [{ key: name, value: upload }],
      };
      const change = together(keepOpen(await readBucket(store, bucket)), create);
      return { change, result: { bucket, key, uploadId } };
    }),

  respond: (result) => json(200, result),
});
