import { removeConditions } from '../http/conditions.js';
import { flag, header, strictDate } from '../http/readers.js';

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
    strictDate,
    'x-svc-copy-source-if-unmodifed-since',
  ),
  ifModifiedSince: header(
    'x-svc-copy-source-if-modified-since',
    strictDate,
    'x-svc-copy-source-if-modifed-since',
  ),
};
