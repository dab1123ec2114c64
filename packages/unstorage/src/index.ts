export { type BucketDriverOptions, bucketDriver, type Objects } from './driver.js';
