import { actions, operation, query, uploadId, wholeNumber } from '@bucketware/core/dialect';
import { isoTime, ownerOf } from '../listing.js';
import { shownClass } from '../object-headers.js';
import { xml } from '../render.js';
import { checksumElements, checksumOfUpload } from '../request/checksums.js';

export const listParts = operation(actions.listParts, {
  route: { method: 'GET', query: ['uploadId'] },
  input: {
    uploadId,
    maxParts: query('max-parts', wholeNumber),
    partNumberMarker: query('part-number-marker', wholeNumber),
  },

  respond(result, { bucketName, key, input }) {
    const who = ownerOf(result.owner);
    return xml(200, 'ListPartsResult', {
      Bucket: bucketName,
      Key: key,
      UploadId: input.uploadId,
      Initiator: who,
      Owner: who,
      StorageClass: shownClass(result.storageClass),
      PartNumberMarker: input.partNumberMarker,
      NextPartNumberMarker: result.nextPartNumberMarker,
      MaxParts: input.maxParts,
      IsTruncated: result.isTruncated,
      ...checksumOfUpload(result.checksum),
      Part: result.parts.map(({ partNumber, lastModified, etag, size, checksum }) => ({
        PartNumber: partNumber,
        LastModified: isoTime(lastModified),
        ETag: `"${etag}"`,
        Size: size,
        ...checksumElements(checksum),
      })),
    });
  },
});
