import { abortMultipartUpload } from './abort-multipart-upload.js';
import { appendObject } from './append-object.js';
import { completeMultipartUpload } from './complete-multipart-upload.js';
import { copyObject } from './copy-object.js';
import { deleteBucket } from './delete-bucket.js';
import { deleteMultipleObjects } from './delete-multiple-objects.js';
import { deleteObject } from './delete-object.js';
import { getBucketLocation } from './get-bucket-location.js';
import { getObject } from './get-object.js';
import { getObjectMeta } from './get-object-meta.js';
import { headBucket } from './head-bucket.js';
import { initiateMultipartUpload } from './initiate-multipart-upload.js';
import { listBuckets } from './list-buckets.js';
import { listMultipartUploads } from './list-multipart-uploads.js';
import { listObjects } from './list-objects.js';
import { listParts } from './list-parts.js';
import { putBucket } from './put-bucket.js';
import { putObject } from './put-object.js';
import { renameObject } from './rename-object.js';
import { uploadPart } from './upload-part.js';
import { uploadPartCopy } from './upload-part-copy.js';

/** Every operation of the service, under the name it has at the programmatic door. */
export const operations = {
  listBuckets,
  putBucket,
  headBucket,
  deleteBucket,
  getBucketLocation,
  listObjects,
  deleteMultipleObjects,
  putObject,
  getObject,
  getObjectMeta,
  deleteObject,
  copyObject,
  renameObject,
  appendObject,
  initiateMultipartUpload,
  uploadPart,
  uploadPartCopy,
  listParts,
  listMultipartUploads,
  completeMultipartUpload,
  abortMultipartUpload,
} as const;
