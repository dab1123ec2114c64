import { date, flag, header } from '../http/readers.js';

/** The four conditions of GetObject and GetObjectMeta (RFC 9110 section 13). */
export const readConditions = {
  ifMatch: header('if-match'),
  ifNoneMatch: header('if-none-match'),
  ifModifiedSince: header('if-modified-since', date),
  ifUnmodifiedSince: header('if-unmodified-since', date),
};

/** The conditions on an object that is replaced or removed. */
export const removeConditions = {
  ifMatch: header('if-match'),
  ifNoneMatch: header('if-none-match'),
  ifUnmodifiedSince: header('if-unmodified-since', date),
};

export const writeConditions = {
  ...removeConditions,
  forbidOverwrite: header('x-svc-forbid-overwrite', flag),
};

/**
 * The interface misspells two of these for UploadPartCopy; both spellings are accepted everywhere.
 */
export const sourceConditions = {
  ifMatch: header('x-svc-copy-source-if-match'),
  ifNoneMatch: header('x-svc-copy-source-if-none-match'),
  ifUnmodifiedSince: header(
    'x-svc-copy-source-if-unmodified-since',
    date,
    'x-svc-copy-source-if-unmodifed-since',
  ),
  ifModifiedSince: header(
    'x-svc-copy-source-if-modified-since',
    date,
    'x-svc-copy-source-if-modifed-since',
  ),
};
