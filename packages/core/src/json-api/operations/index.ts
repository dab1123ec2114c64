import type { Operation } from '../../http/operation.js';
import { abortMultipartUpload } from './abort-multipart-upload.js';
import { appendObject } from './append-object.js';
import { completeMultipartUpload } from './complete-multipart-upload.js';
import { copyObject } from './copy-object.js';
import { deleteBucket } from './delete-bucket.js';
import { deleteBucketCors } from './delete-bucket-cors.js';
import { deleteBucketLifecycle } from './delete-bucket-lifecycle.js';
import { deleteMultipleObjects } from './delete-multiple-objects.js';
import { deleteObject } from './delete-object.js';
import { deleteObjectAcl } from './delete-object-acl.js';
import { getBucketAcl } from './get-bucket-acl.js';
import { getBucketCors } from './get-bucket-cors.js';
import { getBucketLifecycle } from './get-bucket-lifecycle.js';
import { getBucketLocation } from './get-bucket-location.js';
import { getObject } from './get-object.js';
import { getObjectAcl } from './get-object-acl.js';
import { getObjectMeta } from './get-object-meta.js';
import { headBucket } from './head-bucket.js';
import { initiateMultipartUpload } from './initiate-multipart-upload.js';
import { listBuckets } from './list-buckets.js';
import { listMultipartUploads } from './list-multipart-uploads.js';
import { listObjects } from './list-objects.js';
import { listParts } from './list-parts.js';
import { postObject } from './post-object.js';
import { optionsBucket, optionsObject } from './preflight.js';
import { putBucket } from './put-bucket.js';
import { putBucketAcl } from './put-bucket-acl.js';
import { putBucketCors } from './put-bucket-cors.js';
import { putBucketLifecycle } from './put-bucket-lifecycle.js';
import { putObject } from './put-object.js';
import { putObjectAcl } from './put-object-acl.js';
import { renameObject } from './rename-object.js';
import { uploadPart } from './upload-part.js';
import { uploadPartCopy } from './upload-part-copy.js';

/** Every operation of the interface. */
export const operations: readonly Operation[] = [
  abortMultipartUpload,
  appendObject,
  completeMultipartUpload,
  copyObject,
  deleteBucket,
  deleteBucketCors,
  deleteBucketLifecycle,
  deleteMultipleObjects,
  deleteObject,
  deleteObjectAcl,
  getBucketAcl,
  getBucketCors,
  getBucketLifecycle,
  getBucketLocation,
  getObject,
  getObjectAcl,
  getObjectMeta,
  headBucket,
  initiateMultipartUpload,
  listBuckets,
  listMultipartUploads,
  listObjects,
  listParts,
  optionsBucket,
  optionsObject,
  postObject,
  putBucket,
  putBucketAcl,
  putBucketCors,
  putBucketLifecycle,
  putObject,
  putObjectAcl,
  renameObject,
  uploadPart,
  uploadPartCopy,
];
