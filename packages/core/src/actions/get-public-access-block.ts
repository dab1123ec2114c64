import { StorageError } from '../errors.js';
import { action } from './action.js';

/** The block of public access. Throws NoSuchPublicAccessBlock if there is none. */
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
