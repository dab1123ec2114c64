import { abortMultipartUpload } from './abort-multipart-upload.js';
import { appendObject } from './append-object.js';
import { completeMultipartUpload } from './complete-multipart-upload.js';
import { copyObject } from './copy-object.js';
import { deleteBucket } from './delete-bucket.js';
import { deleteBucketCors } from './delete-bucket-cors.js';
import { deleteBucketLifecycle } from './delete-bucket-lifecycle.js';
import { deleteBucketOwnershipControls } from './delete-bucket-ownership-controls.js';
import { deleteBucketTagging } from './delete-bucket-tagging.js';
import { deleteMultipleObjects } from './delete-multiple-objects.js';
import { deleteObject } from './delete-object.js';
import { deleteObjectAcl } from './delete-object-acl.js';
import { deleteObjectTagging } from './delete-object-tagging.js';
import { deletePublicAccessBlock } from './delete-public-access-block.js';
import { getBucketAcl } from './get-bucket-acl.js';
import { getBucketCors } from './get-bucket-cors.js';
import { getBucketLifecycle } from './get-bucket-lifecycle.js';
import { getBucketLocation } from './get-bucket-location.js';
import { getBucketOwnershipControls } from './get-bucket-ownership-controls.js';
import { getBucketPolicyStatus } from './get-bucket-policy-status.js';
import { getBucketTagging } from './get-bucket-tagging.js';
import { getObject } from './get-object.js';
import { getObjectAcl } from './get-object-acl.js';
import { getObjectAttributes } from './get-object-attributes.js';
import { getObjectMeta } from './get-object-meta.js';
import { getObjectTagging } from './get-object-tagging.js';
import { getPublicAccessBlock } from './get-public-access-block.js';
import { headBucket } from './head-bucket.js';
import { initiateMultipartUpload } from './initiate-multipart-upload.js';
import { listBuckets } from './list-buckets.js';
import { listMultipartUploads } from './list-multipart-uploads.js';
import { listObjects } from './list-objects.js';
import { listParts } from './list-parts.js';
import { optionsBucket, optionsObject } from './preflight.js';
import { putBucket } from './put-bucket.js';
import { putBucketAcl } from './put-bucket-acl.js';
import { putBucketCors } from './put-bucket-cors.js';
import { putBucketLifecycle } from './put-bucket-lifecycle.js';
import { putBucketOwnershipControls } from './put-bucket-ownership-controls.js';
import { putBucketTagging } from './put-bucket-tagging.js';
import { putObject } from './put-object.js';
import { putObjectAcl } from './put-object-acl.js';
import { putObjectTagging } from './put-object-tagging.js';
import { putPublicAccessBlock } from './put-public-access-block.js';
import { renameObject } from './rename-object.js';
import { uploadPart } from './upload-part.js';
import { uploadPartCopy } from './upload-part-copy.js';

/** Every action of the service, under its name for programs. */
export const actions = {
  listBuckets,
  putBucket,
  headBucket,
  deleteBucket,
  getBucketLocation,
  putBucketAcl,
  getBucketAcl,
  putBucketCors,
  getBucketCors,
  deleteBucketCors,
  putBucketLifecycle,
  getBucketLifecycle,
  deleteBucketLifecycle,
  putBucketTagging,
  getBucketTagging,
  deleteBucketTagging,
  putPublicAccessBlock,
  getPublicAccessBlock,
  deletePublicAccessBlock,
  getBucketPolicyStatus,
  putBucketOwnershipControls,
  getBucketOwnershipControls,
  deleteBucketOwnershipControls,
  optionsBucket,
  listObjects,
  deleteMultipleObjects,
  putObject,
  getObject,
  getObjectMeta,
  getObjectAttributes,
  deleteObject,
  putObjectAcl,
  getObjectAcl,
  deleteObjectAcl,
  putObjectTagging,
  getObjectTagging,
  deleteObjectTagging,
  optionsObject,
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
