import { listParts as action } from '../../actions/list-parts.js';
import { isoSeconds } from '../../http/dates.js';
import { operation } from '../../http/operation.js';
import { query, uploadId, wholeNumber } from '../../http/readers.js';
import { json } from '../render.js';

export const listParts = operation(action, {
  route: { method: 'GET', query: ['uploadId'] },
  input: {
    uploadId,
    maxParts: query('maxParts', wholeNumber),
    partNumberMarker: query('partNumberMarker', wholeNumber),
  },

  respond(result, { bucketName: bucket, key, input }) {
    const { tenantCode, tenantId } = result.owner;
    const owner = `${tenantCode}-${tenantId}`;
    return json(200, {
      bucket,
      key,
      uploadId: input.uploadId,
      initiated: isoSeconds(+result.initiated),
      owner: { id: owner, displayName: owner },
      storageClass: result.storageClass,
      partNumberMarker: input.partNumberMarker,
      nextPartNumberMarker: result.nextPartNumberMarker,
      maxParts: input.maxParts,
      isTruncated: result.isTruncated,
      // The interface specifies ETag, but its clients read eTag.
      parts: result.parts.map(({ partNumber, lastModified, etag, size }) => ({
        partNumber,
        lastModified: isoSeconds(+lastModified),
        ETag: etag,
        eTag: etag,
        size,
      })),
    });
  },
});
