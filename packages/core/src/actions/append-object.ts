import { callerId } from '../engine/concurrency/caller-id.js';
import { MemoryShare } from '../engine/concurrency/memory-share.js';
import { adoptedSegments, land, receive } from '../engine/content/receive.js';
import { RunningDigests } from '../engine/content/whole-digests.js';
import { appendBytes } from '../engine/objects/append.js';
import { findObject, publish } from '../engine/objects/objects.js';
import {
  atMostOnce,
  nameOfAppend,
  remembering,
  requireNew,
} from '../engine/objects/repeated-append.js';
import type { ObjectRecord } from '../engine/records/objects.js';
import { StorageError } from '../errors.js';
import { MAX_OBJECT_BYTES } from '../limits.js';
import { action, type Call } from './action.js';
import { requireWritable } from './parameters/conditions.js';
import { digests, expectedDigests } from './parameters/digests.js';
import { objectAcl, objectAclOf } from './parameters/grants.js';
import { headersOf, storageClass, storedHeaders } from './parameters/object-headers.js';
import {
  flag,
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

const parameters = {
  offset: neverUndefined(integer(0, Number.MAX_SAFE_INTEGER)),
  appendId,
  forbidOverwrite: flag,
  ...digests,
  ...storedHeaders,
  ...objectAcl,
  storageClass,
};

/**
 * Without `offset`, creates a new appendable object and replaces any object with the same key, or
 * throws PreconditionFailed with `forbidOverwrite`. With `offset`, adds the body to the end of the
 * object; headers and metadata of such a call are ignored. If one of the caller's appends among
 * the last 16 had the same `appendId` and the same data, the call changes nothing and gets its
 * response: the request was repeated. Throws OffsetIncorrect when `offset` is not the size of the object,
 * ObjectUnappendable when AppendObject did not create it, and NoSuchKey.
 */
export const appendObject = action({
  name: 'AppendObject',
  on: 'object',
  permission: 'WRITE',
  modifies: true,
  usesObject: true,
  setsAcl: 'PutObjectAcl',
  takes: 'bytes',
  parameters,

  run: (call) => (call.input.offset === undefined ? create(call) : add(call, call.input.offset)),
});

type AppendCall = Call<'object', typeof parameters>;

async function create(call: AppendCall): Promise<StoredObject> {
  const { store, bucket, key, input, body, permit, principal } = call;
  const { forbidOverwrite } = input;
  const name = nameOfAppend(principal, input.appendId);
  if (input.storageClass === 'ARCHIVE') {
    throw new StorageError('InvalidArgument', 'An appendable object cannot be of class ARCHIVE.');
  }
  const requireRoom = (existing: ObjectRecord | undefined) => {
    requireNew(existing, name);
    requireWritable({ forbidOverwrite }, existing);
  };
  const expected = expectedDigests(input);
  const append = { admitted: permit, name, body, expected };
  const { record, isRepeated } = await atMostOnce(store, append, async (arrived) => {
    if (name !== undefined || forbidOverwrite) {
      const existing = await findObject(store, bucket, key);
      // A caller who may only add objects must not be refused because the first request added it.
      requireNew(existing, name);
      // As for PutObject: only a caller with READ learns before the upload that there is an object.
      if (forbidOverwrite && (await call.allows('READ'))) {
        requireWritable({ forbidOverwrite }, existing);
      }
    }
    const whole = await RunningDigests.start();
    const limit = MAX_OBJECT_BYTES;
    const received = await receive(store, body, { limit, memory: 0, expected, whole });
    const { size } = received;
    const { md5, crc32, state } = whole.done();
    const data = { length: size, crc32 };
    arrived(data);
    const adopted = adoptedSegments(received);
    const { content } = adopted;
    return land(store, received, () =>
      publish(store, permit, key, adopted, (existing) => {
        requireRoom(existing);
        const made = remembering(existing, name, data, { size, etag: md5, crc32 });
        return {
          type: 'Appendable',
          size,
          etag: md5,
          md5,
          crc32,
          storageClass: input.storageClass ?? bucket.record.storageClass,
          content,
          append: { md5: state, writer: store.writer, ...made },
          acl: objectAclOf(input),
          ...headersOf(input),
        };
      }),
    );
  });
  const reads = !isRepeated || (await call.allows('READ'));
  return new StoredObject(key, reads ? record : withoutReading(record));
}

async function add(call: AppendCall, offset: number): Promise<StoredObject> {
  const { store, key, input, body, permit, principal } = call;
  const name = nameOfAppend(principal, input.appendId);
  if (input.forbidOverwrite) {
    const message = 'An append with an offset overwrites nothing. Leave forbidOverwrite out.';
    throw new StorageError('InvalidArgument', message);
  }
  // An append of zero bytes changes nothing; its response only reveals what is stored.
  if (body.length === 0) await call.needs('READ');
  const reads = await call.allows('READ');
  const share = new MemoryShare(store.jsonMemory, callerId(principal));
  const append = {
    admitted: permit,
    key,
    offset,
    name,
    body,
    expected: expectedDigests(input),
    share,
  };
  // The object may have been replaced by now, so only callers who may read it learn its size.
  const shown = async (error: unknown) => {
    await permit.confirm();
    return call.permitFor('READ', key).then(
      () => error,
      () => new StorageError('OffsetIncorrect'),
    );
  };
  const { record: grown, isRepeated } = await appendBytes(store, append)
    .catch(async (error: unknown) => {
      throw hasSize(error) ? await shown(error) : error;
    })
    .finally(() => share.release());
  if (isRepeated) permit.mayModify();
  else if (grown.size === offset) await call.needs('READ');
  const shows = isRepeated ? await call.allows('READ') : reads;
  return new StoredObject(key, shows ? grown : withoutReading(grown));
}

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
