import { listMultipartUploads as action } from '../../actions/list-multipart-uploads.js';
import { isoSeconds } from '../../http/dates.js';
import { operation } from '../../http/operation.js';
import { query, wholeNumber } from '../../http/readers.js';
import { json } from '../render.js';

export const listMultipartUploads = operation(action, {
  route: { method: 'GET', query: ['uploads'] },
  input: {
    prefix: query('prefix'),
    delimiter: query('delimiter'),
    keyMarker: query('keyMarker'),
    uploadIdMarker: query('uploadIdMarker'),
    maxUploads: query('maxUploads', wholeNumber),
  },

  respond({ uploads, commonPrefixes, isTruncated, ...next }, { bucketName, input }) {
    return json(200, {
      bucket: bucketName,
      prefix: input.prefix,
      delimiter: input.delimiter || undefined,
      keyMarker: input.keyMarker,
      uploadIdMarker: input.uploadIdMarker || undefined,
      ...next,
      maxUploads: input.maxUploads,
      isTruncated,
      uploads: uploads.map(({ checksum: _, ...item }) => ({
        ...item,
        initiated: isoSeconds(+item.initiated),
      })),
      commonPrefixes: commonPrefixes.length > 0 ? commonPrefixes : undefined,
    });
  },
});
