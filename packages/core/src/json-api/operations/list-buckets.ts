import { listBuckets as action } from '../../actions/list-buckets.js';
import { isoSeconds } from '../../http/dates.js';
import { operation } from '../../http/operation.js';
import { query } from '../../http/readers.js';
import { json } from '../render.js';

export const listBuckets = operation(action, {
  route: { method: 'GET' },
  input: { prefix: query('prefix') },

  respond: ({ owner, buckets }) =>
    json(200, {
      owner,
      buckets: buckets.map((bucket) => ({
        ...bucket,
        creationDate: isoSeconds(+bucket.creationDate),
      })),
    }),
});
