import type { Operation } from '@bucketware/core/dialect';
import { getBucketAcl, getObjectAcl, putBucketAcl, putObjectAcl } from './acls.js';
import { deleteBucket, getBucketLocation, getBucketVersioning, headBucket } from './buckets.js';
import { completeMultipartUpload } from './complete-multipart-upload.js';
import { copyObject } from './copy-object.js';
import { deleteBucketCors, getBucketCors, putBucketCors } from './cors.js';
import { createBucket } from './create-bucket.js';
import { deleteObject } from './delete-object.js';
import { deleteObjects } from './delete-objects.js';
import { getObject } from './get-object.js';
import { getObjectAttributes } from './get-object-attributes.js';
import { headObject } from './head-object.js';
import { deleteBucketLifecycle, getBucketLifecycle, putBucketLifecycle } from './lifecycle.js';
import { listBuckets } from './list-buckets.js';
import { listMultipartUploads } from './list-multipart-uploads.js';
import { listObjectVersions } from './list-object-versions.js';
import { listObjects } from './list-objects.js';
import { listObjectsV2 } from './list-objects-v2.js';
import { listParts } from './list-parts.js';
import {
  deleteBucketOwnershipControls,
  getBucketOwnershipControls,
  putBucketOwnershipControls,
} from './ownership.js';
import { postObject } from './post-object.js';
import { optionsBucket, optionsObject } from './preflight.js';
import {
  deletePublicAccessBlock,
  getBucketPolicyStatus,
  getPublicAccessBlock,
  putPublicAccessBlock,
} from './public-access.js';
import { putObject } from './put-object.js';
import {
  deleteBucketTagging,
  deleteObjectTagging,
  getBucketTagging,
  getObjectTagging,
  putBucketTagging,
  putObjectTagging,
} from './tagging.js';
import {
  abortMultipartUpload,
  createMultipartUpload,
  uploadPart,
  uploadPartCopy,
} from './uploads.js';

/** All supported operations of S3. The first region is that of the buckets. */
export function operationsIn(regions: readonly [string, ...string[]]): readonly Operation[] {
  const [region] = regions;
  return [
    abortMultipartUpload,
    completeMultipartUpload,
    copyObject,
    createBucket(regions),
    createMultipartUpload,
    deleteBucket,
    deleteBucketCors,
    deleteBucketLifecycle,
    deleteBucketOwnershipControls,
    deleteBucketTagging,
    deleteObject,
    deleteObjects,
    deleteObjectTagging,
    deletePublicAccessBlock,
    getBucketAcl,
    getBucketCors,
    getBucketLifecycle,
    getBucketLocation(region),
    getBucketOwnershipControls,
    getBucketPolicyStatus,
    getBucketTagging,
    getBucketVersioning,
    getObject,
    getObjectAcl,
    getObjectAttributes,
    getObjectTagging,
    getPublicAccessBlock,
    headBucket(region),
    headObject,
    listBuckets(region),
    listMultipartUploads,
    listObjectVersions,
    listObjects,
    listObjectsV2,
    listParts,
    optionsBucket,
    optionsObject,
    postObject,
    putBucketAcl,
    putBucketCors,
    putBucketLifecycle,
    putBucketOwnershipControls,
    putBucketTagging,
    putObject,
    putObjectAcl,
    putObjectTagging,
    putPublicAccessBlock,
    uploadPart,
    uploadPartCopy,
  ];
}
