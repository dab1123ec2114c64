import { StorageError } from '../errors.js';
import { action } from './action.js';

/** What is forbidden to the public. Throws NoSuchPublicAccessBlock. */
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
