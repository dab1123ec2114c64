import { deleteBucket } from './delete-bucket.js';
import { deleteMultipleObjects } from './delete-multiple-objects.js';
import { deleteObject } from './delete-object.js';
import { getBucketLocation } from './get-bucket-location.js';
import { getObject } from './get-object.js';
import { getObjectMeta } from './get-object-meta.js';
import { headBucket } from './head-bucket.js';
import { listBuckets } from './list-buckets.js';
import { listObjects } from './list-objects.js';
import { putBucket } from './put-bucket.js';
import { putObject } from './put-object.js';

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
} as const;
