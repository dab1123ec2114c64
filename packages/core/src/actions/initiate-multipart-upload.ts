import { beginUpload } from '../engine/uploads/begin.js';
import { action } from './action.js';
import { objectAcl, objectAclOf } from './parameters/grants.js';
import { headersOf, storageClass, storedHeaders } from './parameters/object-headers.js';

/**
 * Begins an upload in parts. An object that has the name already stays as it is until
 * CompleteMultipartUpload. Its headers and metadata become the object's.
 */
export const initiateMultipartUpload = action({
  name: 'InitiateMultipartUpload',
  on: 'object',
  permission: 'WRITE',
  modifies: true,
  usesObject: true,
  setsAcl: 'PutObjectAcl',
  takes: 'nothing',
  parameters: {
    ...storedHeaders,
    ...objectAcl,
    storageClass,
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
});
