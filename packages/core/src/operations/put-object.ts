import { adopted, land, receive } from '../engine/content/receive.js';
import { findObject, publish } from '../engine/objects/objects.js';
import { objectAclHeaders, objectAclOf } from '../http/acl-input.js';
import { crc32cFlag } from '../http/checksums.js';
import {
  comparesObject,
  isConditional,
  requireWritable,
  writeConditions,
} from '../http/conditions.js';
import { digestHeaders, expectedDigests } from '../http/digest-headers.js';
import { header } from '../http/fields.js';
import { headersOf, storageClass, storedHeaders, written } from '../http/object-headers.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';
import { StoredObject } from '../http/stored-object.js';
import { MAX_OBJECT_BYTES } from '../limits.js';

/**
 * Stores an object of 0 to 5 GB in the place of whatever has its name. The conditions are judged
 * before the bytes are taken, and again in the commit that makes them visible.
 */
export const putObject = operation({
  name: 'PutObject',
  route: { method: 'PUT', on: 'object' },
  permission: 'WRITE',
  modifies: true,
  setsAcl: 'PutObjectAcl',
  takes: 'bytes',
  input: {
    ...storedHeaders,
    ...digestHeaders,
    ...crc32cFlag,
    ...writeConditions,
    ...objectAclHeaders,
    storageClass: header('x-svc-storage-class', storageClass),
  },

  async run({ store, bucket, permit, needs, allows, key, input, body, announce }) {
    const compares = comparesObject(input);
    if (compares) await needs('READ');
    // A writer who may not read learns that there is an object only when it would have been made.
    if (compares || (isConditional(input) && (await allows('READ')))) {
      requireWritable(input, await findObject(store, bucket, key));
    }
    const expected = expectedDigests(input);
    const { inlineLimit: memory } = store.settings;
    const received = await receive(store, body, { limit: MAX_OBJECT_BYTES, memory, expected });
    const { size, digests } = received;
    const { headers, metadata } = headersOf(input);
    const { content, change } = adopted(received);
    return land(store, received, async () => {
      const record = await publish(store, permit, key, change, (existing) => {
        requireWritable(input, existing);
        return {
          type: 'Normal',
          size,
          etag: digests.md5,
          md5: digests.md5,
          crc32: digests.crc32,
          storageClass: input.storageClass ?? bucket.record.storageClass,
          content,
          acl: objectAclOf(input),
          headers,
          metadata,
        };
      });
      announce('object:created', { key, size, etag: record.etag });
      return new StoredObject(key, record);
    });
  },

  respond: ({ etag, contentCrc32 }, { body }) =>
    empty(200, written(etag, contentCrc32, body.crc32c?.())),
});
