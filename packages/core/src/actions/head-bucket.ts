import { action } from './action.js';

/** Checks that a bucket exists and the caller may read it. Throws NoSuchBucket or AccessDenied. */
export const headBucket = action({
  name: 'HeadBucket',
  on: 'bucket',
  permission: 'READ',
  isRead: true,
  takes: 'nothing',
  parameters: {},

  run: async ({ bucket }) => ({
    owner: bucket.record.owner,
    created: new Date(bucket.record.created),
  }),
});
