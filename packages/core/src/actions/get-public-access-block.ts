import { StorageError } from '../errors.js';
import { action } from './action.js';

/** The public access block of a bucket. Throws NoSuchPublicAccessBlock when it has none. */
export const getPublicAccessBlock = action({
  name: 'GetPublicAccessBlock',
  on: 'bucket',
  permission: 'FULL_CONTROL',
  isRead: true,
  takes: 'nothing',
  parameters: {},

  async run({ permit }) {
    const { publicAccessBlock } = permit.bucket.record;
    if (publicAccessBlock === undefined) throw new StorageError('NoSuchPublicAccessBlock');
    return { publicAccessBlock };
  },
});
