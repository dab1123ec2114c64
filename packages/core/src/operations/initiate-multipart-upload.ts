import { beginUpload } from '../engine/uploads/begin.js';
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

  async run({ store, bucket, permit, key, input, principal }) {
    const uploadId = await beginUpload(store, permit, key, ({ owner, storageClass }) => ({
      owner: principal ?? owner,
      storageClass: input.storageClass ?? storageClass,
      acl: objectAclOf(input),
      ...headersOf(input),
    }));
    return { bucket: bucket.name, key, uploadId };
  },

  respond: (result) => json(200, result),
});
