import { readObject } from '../engine/objects/objects.js';
import { action } from './action.js';
import { readConditions, requireReadable } from './parameters/conditions.js';
import { StoredObject } from './stored-object.js';
import { countTags } from './tag-count.js';

/** The headers of GetObject without the data. */
export const getObjectMeta = action({
  name: 'GetObjectMeta',
  on: 'object',
  permission: 'READ',
  readsObject: true,
  isRead: true,
  usesObject: true,
  takes: 'nothing',
  parameters: readConditions,

  async run(call) {
    const { permit, key, input } = call;
    const record = await readObject(permit, key);
    requireReadable(input, record);
    return new StoredObject(key, record, await countTags(call, record));
  },
});
