import { adoptedSegments, land, receive } from '../engine/content/receive.js';
import { begin } from '../engine/content/running-md5.js';
import { appendBytes } from '../engine/objects/append.js';
import { publish } from '../engine/objects/objects.js';
import { StorageError } from '../errors.js';
import { objectAclHeaders, objectAclOf } from '../http/acl-input.js';
import { digestHeaders, expectedDigests } from '../http/digest-headers.js';
import { header, integer, neverUndefined, query } from '../http/fields.js';
import { headersOf, storageClass, storedHeaders, written } from '../http/object-headers.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';
import { StoredObject } from '../http/stored-object.js';
import { MAX_OBJECT_BYTES } from '../limits.js';

/**
 * Without `offset`, makes a new appendable object in the place of whatever has its name. With it,
 * adds the body behind the bytes that are there; headers and metadata of such a call are ignored.
 */
export const appendObject = operation({
  name: 'AppendObject',
  route: { method: 'POST', on: 'object', query: ['append'] },
  permission: 'WRITE',
  modifies: true,
  setsAcl: 'PutObjectAcl',
  // It only asks for a header of the answer.
  ignores: ['x-svc-content-crc32c-flag'],
  takes: 'bytes',
  input: {
    offset: neverUndefined(query('offset', integer(0, Number.MAX_SAFE_INTEGER))),
    ...digestHeaders,
    ...storedHeaders,
    ...objectAclHeaders,
    storageClass: header('x-svc-storage-class', storageClass),
  },

  async run({ store, bucket, key, input, body, permit, needs, allows, announce }) {
    const { offset } = input;
    const expected = expectedDigests(input);
    if (offset !== undefined) {
      // An append of no bytes changes nothing: its answer only tells what is there.
      if (body.length === 0) await needs('READ');
      const append = { admitted: permit, key, offset, body, expected };
      const grown = await appendBytes(store, append).catch(async (error: unknown) => {
        throw (await allows('READ')) ? error : withoutSize(error);
      });
      const { size, etag } = grown;
      if (size === offset) await needs('READ');
      else announce('object:created', { key, size, etag });
      return new StoredObject(key, grown);
    }
    if (input.storageClass === 'ARCHIVE') {
      throw new StorageError('InvalidArgument', 'An appendable object cannot be of class ARCHIVE.');
    }
    const digests = await begin();
    const limit = MAX_OBJECT_BYTES;
    const onChunk = digests.update;
    const received = await receive(store, body, { limit, memory: 0, expected, onChunk });
    const { md5, crc32, state } = digests.done();
    const { content, change } = adoptedSegments(received);
    return land(store, received, async () => {
      const record = await publish(store, permit, key, change, () => ({
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
      announce('object:created', { key, size: record.size, etag: md5 });
      return new StoredObject(key, record);
    });
  },

  respond: ({ size, etag, contentCrc32 }) =>
    empty(200, { ...written(etag, contentCrc32), 'x-svc-next-append-offset': String(size) }),
});

/** The size of an object is for those who may read it. */
const withoutSize = (error: unknown): unknown =>
  error instanceof StorageError && error.code === 'OffsetIncorrect'
    ? new StorageError('OffsetIncorrect')
    : error;
