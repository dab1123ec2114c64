import { renameObject as rename } from '../engine/objects/objects.js';
import { action } from './action.js';
import { comparesObject, requireWritable, writeConditions } from './parameters/conditions.js';
import { renameSource } from './parameters/copy-source.js';

/**
 * Gives an object a new key in the same bucket, in one commit: no reader sees both keys, or
 * neither. Data, type, metadata and modification time stay the same; an existing object with the
 * new key is replaced. The conditions are on that object. Throws NoSuchKey and PreconditionFailed.
 */
export const renameObject = action({
  name: 'RenameObject',
  on: 'object',
  permission: 'WRITE',
  usesObject: true,
  takes: 'nothing',
  parameters: { ...renameSource, ...writeConditions },

  async run(call) {
    const { store, bucketName, key, input, permit } = call;
    if (comparesObject(input)) await call.needs('READ');
    const from = await call.source('WRITE', { bucket: bucketName, key: input.from });
    const permits = { source: from, target: permit };
    await rename(store, permits, { from: input.from, to: key }, (existing) =>
      requireWritable(input, existing),
    );
  },
});
