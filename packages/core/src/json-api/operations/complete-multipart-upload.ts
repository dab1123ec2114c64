import { completeMultipartUpload as action } from '../../actions/complete-multipart-upload.js';
import { operation } from '../../http/operation.js';
import { notSupported, uploadId } from '../../http/readers.js';
import { MAX_PART_LIST_BYTES, MAX_PARTS } from '../../limits.js';
import { writeConditions } from '../conditions.js';
import { digests } from '../digests.js';
import { jsonBody, member } from '../json-body.js';
import { storedHeaders } from '../object-headers.js';
import { readPartList } from '../part-list.js';
import { json } from '../render.js';

export const completeMultipartUpload = operation(action, {
  route: { method: 'POST', query: ['uploadId'] },
  // This header only requests a response header.
  ignores: ['x-svc-content-crc32c-flag'],
  // Five for each of 10,000 parts. In a megabyte, each part has room for at most twelve.
  body: jsonBody({
    maxBytes: MAX_PART_LIST_BYTES,
    maxStructural: 12 * MAX_PARTS,
    tooLarge: 'EntityTooLarge',
  }),
  input: {
    uploadId,
    parts: member('parts', readPartList),
    metadata: storedHeaders.metadata,
    contentCrc32: digests.contentCrc32,
    contentCrc32c: digests.contentCrc32c,
    contentCrc64: digests.contentCrc64,
    ...{ checksum: notSupported, checksumType: notSupported, size: notSupported },
    ...writeConditions,
  },

  respond({ etag: eTag, crc32 }, { bucketName: bucket, key, url }) {
    const headers: Record<string, string> = {};
    if (crc32 !== undefined) headers['x-svc-content-crc32'] = String(crc32);
    return json(200, { bucket, key, eTag, location: url() }, headers);
  },
});
