import { listParts as listPartsOf } from '../engine/uploads/list-parts.js';
import { isoSeconds } from '../http/dates.js';
import { integer, pageSize, query } from '../http/fields.js';
import { operation } from '../http/operation.js';
import { uploadId } from '../http/part-input.js';
import { json } from '../http/render.js';
import { MAX_PAGE } from '../limits.js';

/** Where the part numbers of a listing may start: any number that the wire can hold. */
const marker = integer(0, Number.MAX_SAFE_INTEGER);

/** The parts of an upload so far, in ascending order of their numbers. */
export const listParts = operation({
  name: 'ListParts',
  route: { method: 'GET', on: 'object', query: ['uploadId'] },
  permission: 'READ',
  takes: 'nothing',
  input: {
    uploadId,
    maxParts: query('maxParts', pageSize).or(MAX_PAGE),
    partNumberMarker: query('partNumberMarker', marker).or(0),
  },

  async run({ store, bucket, key, input }) {
    const { uploadId, maxParts, partNumberMarker } = input;
    const name = { bucket, key, uploadId };
    const listing = { marker: partNumberMarker, max: maxParts };
    const { upload, parts: listed, isTruncated } = await listPartsOf(store, name, listing);
    const parts = listed.map(({ partNumber, part: { lastModified, etag, size } }) => ({
      partNumber,
      lastModified: new Date(lastModified),
      etag,
      size,
    }));
    const { initiated, storageClass, owner } = upload;
    return {
      initiated: new Date(initiated),
      owner,
      storageClass,
      nextPartNumberMarker: parts.at(-1)?.partNumber ?? 0,
      isTruncated,
      parts,
    };
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
      // The interface writes ETag, its clients read eTag.
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
