import { actions, empty, operation, query, required, wholeNumber } from '@bucketware/core/dialect';
import { digests, written } from '../digests.js';
import { invalid } from '../errors.js';
import { isoTime } from '../listing.js';
import { storageClass, storedHeaders } from '../object-headers.js';
import { amz } from '../readers.js';
import { lateXml, xml } from '../render.js';
import { objectAclHeaders } from '../settings/grants.js';
import { taggingHeader } from '../settings/tags.js';
import { copySource } from '../sources.js';

export const uploadId = required(query('uploadId'));
const partNumber = required(query('partNumber', wholeNumber));

/** Which checksums parts will have: each part says it itself. */
const OF_CHECKSUMS = ['x-amz-checksum-algorithm', 'x-amz-checksum-type'];

export const createMultipartUpload = operation(actions.initiateMultipartUpload, {
  route: { method: 'POST', query: ['uploads'] },
  ignores: OF_CHECKSUMS,
  input: { ...storedHeaders, ...objectAclHeaders, storageClass, ...taggingHeader },
  respond: ({ uploadId: id }, { bucketName, key }) =>
    xml(200, 'InitiateMultipartUploadResult', { Bucket: bucketName, Key: key, UploadId: id }),
});

export const abortMultipartUpload = operation(actions.abortMultipartUpload, {
  route: { method: 'DELETE', query: ['uploadId'] },
  input: { uploadId },
  respond: () => empty(204),
});

export const uploadPart = operation(actions.uploadPart, {
  route: { method: 'PUT', query: ['partNumber', 'uploadId'] },
  input: { uploadId, partNumber, ...digests },
  respond: ({ etag, crc32 }) => empty(200, written(etag, crc32)),
});

/** S3 takes only `bytes=<first>-<last>` here. */
function copiedRange(text: string): string {
  if (/^bytes=\d+-\d+$/.test(text)) return text;
  const message = 'The x-amz-copy-source-range value must be of the form bytes=first-last';
  throw invalid(`${message} where first and last are the zero-based offsets of the bytes to copy.`);
}

export const uploadPartCopy = operation(actions.uploadPartCopy, {
  route: {
    method: 'PUT',
    query: ['partNumber', 'uploadId'],
    headers: ['x-amz-copy-source'],
  },
  slow: true,
  input: {
    ...{ uploadId, partNumber },
    ...copySource,
    range: amz('x-amz-copy-source-range', copiedRange),
  },
  respond: ({ etag, lastModified }) =>
    lateXml('CopyPartResult', { LastModified: isoTime(lastModified), ETag: `"${etag}"` }),
});
