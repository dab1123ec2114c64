import { writeSetting } from '../engine/buckets/settings.js';
import { action } from './action.js';
import { bucketTags, tagsOf } from './parameters/tags.js';

/** Sets the tags of a bucket. Replaces the previous ones. */
export const putBucketTagging = action({
  name: 'PutBucketTagging',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  takes: 'nothing',
  parameters: { tags: bucketTags.required() },

  run: ({ store, permit, input }) => writeSetting(store, permit, 'tags', tagsOf(input)),
});
