import { partKey, partPrefix } from '../engine/records/keys.js';
import type { PartRecord } from '../engine/records/types.js';
import { requireUpload } from '../engine/uploads/uploads.js';
import { isoSeconds } from '../http/dates.js';
import { integer, pageSize, query } from '../http/fields.js';
import { operation } from '../http/operation.js';
import { uploadId } from '../http/part-input.js';
import { json } from '../http/render.js';
import { MAX_PAGE } from '../limits.js';

/** Where the part numbers of a listing may start: any number that the wire can hold. */
const marker = integer(0, Number.MAX_SAFE_INTEGER);
const LAST_MARKER = 99_999;

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
    const { record } = await requireUpload(store, { bucket, key, uploadId });
    const prefix = partPrefix(uploadId);
    const start = partKey(uploadId, Math.min(partNumberMarker + 1, LAST_MARKER));
    const found = maxParts && (await store.metadata.list({ prefix, start, limit: maxParts + 1 }));
    const listed = found ? found.slice(0, maxParts) : [];
    const parts = listed.map(({ key, value }) => {
      const { lastModified, etag, size } = value as PartRecord;
      const partNumber = Number(key.slice(prefix.length));
      return { partNumber, lastModified: new Date(lastModified), etag, size };
    });
    const { initiated, storageClass, owner } = record;
    return {
      initiated: new Date(initiated),
      owner,
      storageClass,
      nextPartNumberMarker: parts.at(-1)?.partNumber ?? 0,
      isTruncated: found ? found.length > maxParts : false,
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
