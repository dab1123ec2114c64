import { date, header } from './readers.js';

/** What must hold of an object that is replaced or removed. */
export const removeConditions = {
  ifMatch: header('if-match'),
  ifNoneMatch: header('if-none-match'),
  ifUnmodifiedSince: header('if-unmodified-since', date),
};

/** The four conditions of reads (RFC 9110 section 13). */
export const readConditions = {
  ...removeConditions,
  ifModifiedSince: header('if-modified-since', date),
};
