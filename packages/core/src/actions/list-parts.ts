import { listParts as listPartsOf } from '../engine/uploads/list-parts.js';
import { MAX_PAGE } from '../limits.js';
import { action } from './action.js';
import { integer, pageSize } from './parameters/parameter.js';
import { uploadId } from './parameters/part-parameters.js';

/** The largest marker of a listing of parts: any number that the wire format can contain. */
const marker = integer(0, Number.MAX_SAFE_INTEGER);

/** The parts uploaded so far, sorted by number. */
export const listParts = action({
  name: 'ListParts',
  on: 'object',
  permission: 'READ',
  isRead: true,
  isLong: true,
  takes: 'nothing',
  parameters: {
    uploadId,
    maxParts: pageSize.or(MAX_PAGE),
    partNumberMarker: marker.or(0),
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
});
