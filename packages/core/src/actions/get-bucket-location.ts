import { action } from './action.js';

/** Where a bucket is: the `location` setting of the storage. */
export const getBucketLocation = action({
  name: 'GetBucketLocation',
  on: 'bucket',
  permission: 'READ',
  isRead: true,
  takes: 'nothing',
  parameters: {},

  run: async ({ store }) => ({ locationConstraint: store.settings.location }),
});
