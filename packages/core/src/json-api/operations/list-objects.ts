import { listObjects as action } from '../../actions/list-objects.js';
import { isoSeconds } from '../../http/dates.js';
import { operation } from '../../http/operation.js';
import { query, wholeNumber } from '../../http/readers.js';
import { json } from '../render.js';

export const listObjects = operation(action, {
  route: { method: 'GET' },
  input: {
    prefix: query('prefix'),
    delimiter: query('delimiter'),
    marker: query('marker'),
    maxKeys: query('maxKeys', wholeNumber),
  },

  respond({ contents, commonPrefixes, isTruncated, nextMarker }, { bucketName, input }) {
    return json(200, {
      name: bucketName,
      prefix: input.prefix,
      delimiter: input.delimiter || undefined,
      marker: input.marker,
      nextMarker,
      maxKeys: input.maxKeys,
      isTruncated,
      contents: contents.map(({ etag, lastModified, ...item }) => ({
        ...item,
        eTag: etag,
        lastModified: isoSeconds(+lastModified),
      })),
      commonPrefixes: commonPrefixes.length > 0 ? commonPrefixes : undefined,
    });
  },
});
