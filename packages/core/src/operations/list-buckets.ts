import { listBuckets as listBucketsOf } from '../engine/buckets/list.js';
import { StorageError } from '../errors.js';
import { isoSeconds } from '../http/dates.js';
import { keyText, query } from '../http/fields.js';
import { operation } from '../http/operation.js';
import { json } from '../http/render.js';

/** The buckets that belong to the caller, by name; with `prefix`, those whose names start so. */
export const listBuckets = operation({
  name: 'ListBuckets',
  route: { method: 'GET', on: 'service' },
  permission: 'LIST',
  takes: 'nothing',
  input: { prefix: query('prefix', keyText).or('') },

  async run({ store, input, principal: owner }) {
    if (owner === undefined) throw new StorageError('AccessDenied');
    const { location } = store.settings;
    const buckets = (await listBucketsOf(store, owner, input.prefix)).map(({ name, created }) => ({
      name,
      location,
      creationDate: new Date(created),
    }));
    return { owner: { id: owner.userId, displayName: owner.userName }, buckets };
  },

  respond: ({ owner, buckets }) =>
    json(200, {
      owner,
      buckets: buckets.map((bucket) => ({
        ...bucket,
        creationDate: isoSeconds(+bucket.creationDate),
      })),
    }),
});
