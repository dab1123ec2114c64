import { requireSetting } from '../engine/buckets/settings.js';
import { action } from './action.js';
import { shownTags } from './parameters/tags.js';

/** The tags of a bucket. Throws NoSuchTagSet when it has none. */
export const getBucketTagging = action({
  name: 'GetBucketTagging',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  isRead: true,
  takes: 'nothing',
  parameters: {},

  run: async ({ store, bucket }) => ({
    tags: shownTags(await requireSetting(store, bucket, 'tags', 'NoSuchTagSet')),
  }),
});
