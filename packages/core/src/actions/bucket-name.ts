import { checkBucketName, checkPlainName } from '../engine/names.js';
import type { Conventions } from './conventions.js';

/** The name of a bucket, if callers with these conventions may use it. Throws InvalidBucketName. */
export const nameOfBucket = (name: unknown, conventions: Conventions): string =>
  conventions.bucketNamesWithDots ? checkBucketName(name) : checkPlainName(name);
