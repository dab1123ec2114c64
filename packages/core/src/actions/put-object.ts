import { adopted, land, receive } from '../engine/content/receive.js';
import { findObject, publish } from '../engine/objects/objects.js';
import { MAX_OBJECT_BYTES } from '../limits.js';
import { action } from './action.js';
import { expirationsFor } from './known-of-object.js';
import { checksum, crc32cFlag, keptOf } from './parameters/checksums.js';
import {
  comparesObject,
  isConditional,
  requireWritable,
  writeConditions,
} from './parameters/conditions.js';
import { digests, expectedDigests } from './parameters/digests.js';
import { objectAcl, objectAclOf } from './parameters/grants.js';
import { headersOf, storageClass, storedHeaders } from './parameters/object-headers.js';
import { objectTags, tagsOf } from './parameters/tags.js';
import { StoredObject } from './stored-object.js';

/**
 * Stores an object of 0 to 5 GB and replaces any object with the same key. The conditions are
 * checked before the body is read, and again in the commit that makes the object visible. Throws
 * PreconditionFailed, BadDigest, EntityTooLarge, and RequestTimeout when the body is shorter than
 * announced.
 */
export const putObject = action({
  name: 'PutObject',
  on: 'object',
  permission: 'WRITE',
  modifies: true,
  usesObject: true,
  setsAcl: 'PutObjectAcl',
  setsTags: true,
  takes: 'bytes',
  parameters: {
    ...storedHeaders,
    ...digests,
    ...crc32cFlag,
    checksum,
    ...writeConditions,
    ...objectAcl,
    storageClass,
    tags: objectTags,
  },

  async run(call) {
    const { store, bucket, permit, key, input, body } = call;
    const compares = comparesObject(input);
    if (compares) await call.needs('READ');
    // A caller with WRITE but not READ learns that an object exists only from a create-only write.
    if (compares || (isConditional(input) && (await call.allows('READ')))) {
      requireWritable(input, await findObject(store, bucket, key));
    }
    const expected = expectedDigests(input);
    const { inlineLimit: memory } = store.settings;
    const received = await receive(store, body, { limit: MAX_OBJECT_BYTES, memory, expected });
    const { size, digests } = received;
    const { headers, metadata } = headersOf(input);
    const kept = keptOf(digests.checksums);
    const adoption = adopted(received);
    const { content } = adoption;
    return land(store, received, async () => {
      const expirationOf = await expirationsFor(call);
      const record = await publish(store, permit, key, adoption, (existing) => {
        requireWritable(input, existing);
        return {
          type: 'Normal',
          size,
          etag: digests.md5,
          md5: digests.md5,
          crc32: digests.crc32,
          ...(kept && { checksum: { ...kept, type: 'whole' } }),
          storageClass: input.storageClass ?? bucket.record.storageClass,
          content,
          acl: objectAclOf(input),
          headers,
          metadata,
          tags: tagsOf(input),
        };
      });
      return new StoredObject(key, record, { expiration: expirationOf(key, record) });
    });
  },
});
