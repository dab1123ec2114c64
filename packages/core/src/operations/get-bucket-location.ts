import { operation } from '../http/operation.js';
import { json } from '../http/render.js';

/** Where a bucket is: the `location` setting of the storage. */
export const getBucketLocation = operation({
  name: 'GetBucketLocation',
  route: { method: 'GET', on: 'bucket', query: ['location'] },
  permission: 'READ',
  takes: 'nothing',
  input: {},

  run: async ({ store }) => ({ locationConstraint: store.settings.location }),

  respond: (result) => json(200, result),
});
