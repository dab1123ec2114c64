import { listBuckets as listBucketsOf } from '../engine/buckets/list.js';
import { StorageError } from '../errors.js';
import { action } from './action.js';
import { keyText } from './parameters/parameter.js';

/**
 * The buckets of the caller, sorted by name; with `prefix`, only those whose names start with it.
 */
export const listBuckets = action({
  name: 'ListBuckets',
  on: 'service',
  permission: 'LIST',
  isRead: true,
  isLong: true,
  takes: 'nothing',
  parameters: { prefix: keyText.or('') },

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
});
