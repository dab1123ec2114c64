import { readObject } from '../engine/objects/objects.js';
import { readConditions, requireReadable } from '../http/conditions.js';
import { describe, responseOverrides } from '../http/object-headers.js';
import { operation } from '../http/operation.js';
import { recordOf, StoredObject } from '../http/stored-object.js';

/** The headers of GetObject without its bytes. */
export const getObjectMeta = operation({
  name: 'GetObjectMeta',
  route: { method: 'HEAD', on: 'object' },
  permission: 'READ',
  readsObject: true,
  servesContent: true,
  takes: 'nothing',
  input: { ...readConditions, ...responseOverrides },

  async run({ store, permit, key, input }) {
    const record = await readObject(store, permit, key);
    requireReadable(input, record);
    return new StoredObject(key, record);
  },

  respond(object, { input }) {
    const record = recordOf(object);
    const headers = describe(record, input);
    headers['content-length'] = String(record.size);
    return { status: 200, headers, body: '' };
  },
});
