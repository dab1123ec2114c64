import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';

/** Tells whether a bucket exists and the caller may read it. */
export const headBucket = operation({
  name: 'HeadBucket',
  route: { method: 'HEAD', on: 'bucket' },
  permission: 'READ',
  takes: 'nothing',
  input: {},

  run: async ({ bucket }) => ({
    owner: bucket.record.owner,
    created: new Date(bucket.record.created),
  }),

  respond: () => empty(200),
});
