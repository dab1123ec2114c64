import { listParts as listPartsOf } from '../engine/uploads/list-parts.js';
import { checksumOfPart } from '../engine/uploads/part-checksum.js';
import { MAX_PAGE } from '../limits.js';
import { action } from './action.js';
import { integer, pageSize } from './parameters/parameter.js';
import { uploadId } from './parameters/part-parameters.js';

/** The largest marker of a listing of parts: any number that the wire format can contain. */
const marker = integer(0, Number.MAX_SAFE_INTEGER);

/** One page of the parts uploaded so far, sorted by number. Throws NoSuchUpload. */
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
    const { initiated, storageClass, owner, checksum: promised } = upload;
    const parts = listed.map(({ partNumber, part }) => ({
      partNumber,
      lastModified: new Date(part.lastModified),
      etag: part.etag,
      size: part.size,
      checksum: promised ? checksumOfPart(part, promised.algorithm) : part.checksum,
    }));
    return {
      initiated: new Date(initiated),
      owner,
      storageClass,
      checksum: promised,
      nextPartNumberMarker: parts.at(-1)?.partNumber ?? 0,
      isTruncated,
      parts,
    };
  },
});
