import {
  actions,
  type Checksum,
  empty,
  operation,
  partNumber,
  type StorageError,
  uploadChecksum,
  uploadId,
} from '@bucketware/core/dialect';
import { checksumAlgorithm, checksumType, digests, written } from '../digests.js';
import { invalid, invalidRequest, S3Error } from '../errors.js';
import { isoTime } from '../listing.js';
import { storageClass, storedHeaders } from '../object-headers.js';
import { amz } from '../readers.js';
import { lateXml, xml } from '../render.js';
import { checksumElements, typeText } from '../request/checksums.js';
import { objectAclHeaders } from '../settings/grants.js';
import { taggingHeader } from '../settings/tags.js';
import { copySource } from '../sources.js';

/** The S3 error when the checksums of an upload contradict each other. */
export function asInvalidRequest(error: StorageError): undefined {
  if (error instanceof S3Error || error.code !== 'InvalidArgument') return;
  throw invalidRequest(error.message);
}

export const createMultipartUpload = operation(actions.initiateMultipartUpload, {
  route: { method: 'POST', query: ['uploads'] },
  input: {
    ...{ ...storedHeaders, ...objectAclHeaders, storageClass, ...taggingHeader },
    ...{ checksumAlgorithm, checksumType },
  },
  recover: asInvalidRequest,
  respond({ uploadId: id }, { bucketName, key, input }) {
    const checksum = uploadChecksum(input);
    const headers: Record<string, string> = {};
    if (checksum !== undefined) {
      headers['x-amz-checksum-algorithm'] = checksum.algorithm.toUpperCase();
      headers['x-amz-checksum-type'] = typeText(checksum.type);
    }
    const content = { Bucket: bucketName, Key: key, UploadId: id };
    return xml(200, 'InitiateMultipartUploadResult', content, headers);
  },
});

export const abortMultipartUpload = operation(actions.abortMultipartUpload, {
  route: { method: 'DELETE', query: ['uploadId'] },
  input: { uploadId },
  respond: () => empty(204),
});

export const uploadPart = operation(actions.uploadPart, {
  route: { method: 'PUT', query: ['partNumber', 'uploadId'] },
  input: { uploadId, partNumber, ...digests },
  recover: asInvalidRequest,
  respond({ etag, crc32, checksums }) {
    const crc: Checksum = { algorithm: 'crc32', value: crc32.toString(16).padStart(8, '0') };
    return empty(200, written(etag, checksums[0] ?? crc));
  },
});

/** S3 accepts only `bytes=<first>-<last>` here. */
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
  respond: ({ etag, lastModified, checksum }) =>
    lateXml('CopyPartResult', {
      LastModified: isoTime(lastModified),
      ETag: `"${etag}"`,
      ...checksumElements(checksum),
    }),
});
