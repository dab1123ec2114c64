import { beginUpload } from '../engine/uploads/begin.js';
import { action } from './action.js';
import { uploadChecksum, uploadChecksums } from './parameters/checksums.js';
import { objectAcl, objectAclOf } from './parameters/grants.js';
import { headersOf, storageClass, storedHeaders } from './parameters/object-headers.js';
import { objectTags, tagsOf } from './parameters/tags.js';

/**
 * Starts a multipart upload. An existing object with this key stays unchanged until
 * CompleteMultipartUpload. The headers and metadata of the upload become those of the object.
 * Throws BucketObjectNumExceeded when the bucket has too many unfinished uploads.
 */
export const initiateMultipartUpload = action({
  name: 'InitiateMultipartUpload',
  on: 'object',
  permission: 'WRITE',
  modifies: true,
  usesObject: true,
  setsAcl: 'PutObjectAcl',
  setsTags: true,
  takes: 'nothing',
  parameters: {
    ...storedHeaders,
    ...objectAcl,
    storageClass,
    tags: objectTags,
    ...uploadChecksums,
  },

  async run({ store, bucket, permit, key, input, principal }) {
    const checksum = uploadChecksum(input);
    const uploadId = await beginUpload(store, permit, key, ({ owner, storageClass }) => ({
      owner: principal ?? owner,
      storageClass: input.storageClass ?? storageClass,
      acl: objectAclOf(input),
      tags: tagsOf(input),
      ...(checksum && { checksum }),
      ...headersOf(input),
    }));
    return { bucket: bucket.name, key, uploadId };
  },
});
