import { renameObject as rename } from '../engine/objects/objects.js';
import { renameSource } from '../http/copy-source.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';

/**
 * Gives an object another key of the same bucket, in one commit: nobody sees both names or none.
 * Bytes, type, metadata and time stay; an object that has the new key is replaced.
 */
export const renameObject = operation({
  name: 'RenameObject',
  route: { method: 'POST', on: 'object', headers: ['x-svc-rename-key'] },
  permission: 'WRITE',
  takes: 'nothing',
  input: renameSource,

  async run({ store, bucketName, key, input, source, permit, announce }) {
    const from = await source('WRITE', { bucket: bucketName, key: input.from });
    const permits = { source: from, target: permit };
    const moved = await rename(store, permits, { from: input.from, to: key });
    if (input.from === key) return;
    announce('object:removed', { key: input.from });
    announce('object:created', { key, size: moved.size, etag: moved.etag });
  },

  respond: () => empty(200),
});
