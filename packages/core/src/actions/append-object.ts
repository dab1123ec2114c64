import { callerId } from '../engine/concurrency/caller-id.js';
import { MemoryShare } from '../engine/concurrency/memory-share.js';
import { adoptedSegments, land, receive } from '../engine/content/receive.js';
import { RunningDigests } from '../engine/content/whole-digests.js';
import { appendBytes } from '../engine/objects/append.js';
import { publish } from '../engine/objects/objects.js';
import { repeatedAppend } from '../engine/objects/repeated-append.js';
import type { ObjectRecord } from '../engine/records/objects.js';
import { StorageError } from '../errors.js';
import { MAX_OBJECT_BYTES } from '../limits.js';
import { action } from './action.js';
import { digests, expectedDigests } from './parameters/digests.js';
import { objectAcl, objectAclOf } from './parameters/grants.js';
import { headersOf, storageClass, storedHeaders } from './parameters/object-headers.js';
import {
  InvalidValue,
  integer,
  isText,
  neverUndefined,
  parameter,
} from './parameters/parameter.js';
import { StoredObject } from './stored-object.js';

const appendId = parameter((value): string => {
  if (isText(value) && /^[\w-]{1,64}$/.test(value)) return value;
  throw new InvalidValue('1 to 64 letters, digits, - and _');
});

/**
 * Without `offset`, creates a new appendable object and replaces any object with the same key. With
 * `offset`, adds the body to the end of the object; headers and metadata of such a call are
 * ignored. If the last append had the same `appendId` and `offset`, the call succeeds and changes
 * nothing: its request was repeated. Throws OffsetIncorrect when `offset` is not the size of the object, ObjectUnappendable
 * when AppendObject did not create it, and NoSuchKey.
 */
export const appendObject = action({
  name: 'AppendObject',
  on: 'object',
  permission: 'WRITE',
  modifies: true,
  usesObject: true,
  setsAcl: 'PutObjectAcl',
  takes: 'bytes',
  parameters: {
    offset: neverUndefined(integer(0, Number.MAX_SAFE_INTEGER)),
    appendId,
    ...digests,
    ...storedHeaders,
    ...objectAcl,
    storageClass,
  },

  async run(call) {
    const { store, bucket, key, input, body, permit, principal } = call;
    const { offset } = input;
    const expected = expectedDigests(input);
    if (offset !== undefined) {
      // An append of zero bytes changes nothing; its response only reveals what is stored.
      if (body.length === 0) await call.needs('READ');
      const reads = await call.allows('READ');
      const share = new MemoryShare(store.jsonMemory, callerId(principal));
      // The object may have been replaced by now, so only callers who may read it learn its size.
      const shown = async (error: unknown) => {
        await permit.confirm();
        return call.permitFor('READ', key).then(
          () => error,
          () => new StorageError('OffsetIncorrect'),
        );
      };
      const { appendId: id } = input;
      const append = { admitted: permit, key, offset, id, body, expected, share };
      const grown = await appendBytes(store, append)
        .catch(async (error: unknown) => {
          if (!hasSize(error)) throw error;
          const made = await repeatedAppend(store, append);
          if (made === undefined) throw await shown(error);
          return made;
        })
        .finally(() => share.release());
      if (grown.size === offset) await call.needs('READ');
      return new StoredObject(key, reads ? grown : withoutReading(grown));
    }
    if (input.storageClass === 'ARCHIVE') {
      throw new StorageError('InvalidArgument', 'An appendable object cannot be of class ARCHIVE.');
    }
    const whole = await RunningDigests.start();
    const limit = MAX_OBJECT_BYTES;
    const received = await receive(store, body, { limit, memory: 0, expected, whole });
    const { md5, crc32, state } = whole.done();
    const adopted = adoptedSegments(received);
    const { content } = adopted;
    return land(store, received, async () => {
      const record = await publish(store, permit, key, adopted, () => ({
        type: 'Appendable',
        size: received.size,
        etag: md5,
        md5,
        crc32,
        storageClass: input.storageClass ?? bucket.record.storageClass,
        content,
        append: { md5: state, writer: store.writer },
        acl: objectAclOf(input),
        ...headersOf(input),
      }));
      return new StoredObject(key, record);
    });
  },
});

/**
 * What a response must contain about the whole object: size, ETag and MD5 (AppendObject, response
 * headers).
 */
const withoutReading = (object: ObjectRecord): ObjectRecord => ({
  ...object,
  crc32: undefined,
  checksum: undefined,
  headers: [],
  metadata: [],
});

const hasSize = (error: unknown): boolean =>
  error instanceof StorageError && error.code === 'OffsetIncorrect';
