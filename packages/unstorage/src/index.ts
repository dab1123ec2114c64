export {
  type BucketDriver,
  type BucketDriverOptions,
  bucketDriver,
  type Objects,
} from './driver.js';
