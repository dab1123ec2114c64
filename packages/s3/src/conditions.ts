import { date, header } from '@bucketware/core/dialect';
import { amz } from './readers.js';

/** The four conditions of GetObject and HeadObject (RFC 9110 section 13). */
export const readConditions = {
  ifMatch: header('if-match'),
  ifNoneMatch: header('if-none-match'),
  ifModifiedSince: header('if-modified-since', date),
  ifUnmodifiedSince: header('if-unmodified-since', date),
};

/** What must hold of an object that is replaced or removed. */
export const removeConditions = {
  ifMatch: header('if-match'),
  ifNoneMatch: header('if-none-match'),
  ifUnmodifiedSince: header('if-unmodified-since', date),
};

export const sourceConditions = {
  ifMatch: amz('x-amz-copy-source-if-match'),
  ifNoneMatch: amz('x-amz-copy-source-if-none-match'),
  ifModifiedSince: amz('x-amz-copy-source-if-modified-since', date),
  ifUnmodifiedSince: amz('x-amz-copy-source-if-unmodified-since', date),
};
