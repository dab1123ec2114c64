import { keepOpen } from '../engine/buckets/buckets.js';
import { withAclApart } from '../engine/objects/object-acl.js';
import { findObject } from '../engine/objects/objects.js';
import { uploadKey } from '../engine/records/keys.js';
import type { UploadRecord } from '../engine/records/types.js';
import { together, transact } from '../engine/store.js';
import { inRoom } from '../engine/uploads/upload-room.js';
import { newUploadId } from '../engine/uploads/uploads.js';
import { objectAclHeaders, objectAclOf } from '../http/acl-input.js';
import { header } from '../http/fields.js';
import { headersOf, storageClass, storedHeaders } from '../http/object-headers.js';
import { operation } from '../http/operation.js';
import { json } from '../http/render.js';

/**
 * Begins an upload in parts. An object that has the name already stays as it is until
 * CompleteMultipartUpload. Its headers and metadata become the object's.
 */
export const initiateMultipartUpload = operation({
  name: 'InitiateMultipartUpload',
  route: { method: 'POST', on: 'object', query: ['uploads'] },
  permission: 'WRITE',
  // Of an upload whose parts will be copied. Each copy names its source itself.
  ignores: ['x-svc-copy-source'],
  modifies: true,
  setsAcl: 'PutObjectAcl',
  takes: 'nothing',
  input: {
    ...storedHeaders,
    ...objectAclHeaders,
    storageClass: header('x-svc-storage-class', storageClass),
  },

  run: ({ store, bucket: { id }, permit, key, input, principal }) =>
    inRoom(store, id, () =>
      transact(store, async () => {
        const bucket = await permit.current();
        const { record } = bucket;
        permit.mayReplace(await findObject(store, bucket, key));
        const initiated = store.now();
        const uploadId = newUploadId(initiated);
        const { record: upload, change: list } = withAclApart<UploadRecord>({
          initiated,
          owner: principal ?? record.owner,
          storageClass: input.storageClass ?? record.storageClass,
          completing: false,
          acl: objectAclOf(input),
          ...headersOf(input),
        });
        const name = uploadKey(bucket.id, key, uploadId);
        const create = {
          expect: [{ key: name, version: undefined }],
          put: [{ key: name, value: upload }],
        };
        const result = { bucket: bucket.name, key, uploadId };
        return { change: together(keepOpen(bucket), create, list), result };
      }),
    ),

  respond: (result) => json(200, result),
});
