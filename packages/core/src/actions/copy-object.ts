import type { Admitted } from '../engine/buckets/buckets.js';
import { land } from '../engine/content/receive.js';
import { checksumsOf, copiedChecksums } from '../engine/objects/checksums.js';
import { copyingFor, shareObject } from '../engine/objects/copy-content.js';
import { editObject, publish, withObject } from '../engine/objects/objects.js';
import type { ObjectRecord } from '../engine/records/objects.js';
import { StorageError } from '../errors.js';
import { MAX_OBJECT_BYTES } from '../limits.js';
import { action, type Call } from './action.js';
import { checksumAlgorithm } from './parameters/checksums.js';
import { requireCopyable } from './parameters/conditions.js';
import { copySource } from './parameters/copy-source.js';
import { objectAcl, objectAclOf } from './parameters/grants.js';
import { headersOf, storageClass, storedHeaders } from './parameters/object-headers.js';
import { type InputOf, oneOf } from './parameters/parameter.js';
import { objectTags, tagsOf } from './parameters/tags.js';

const input = {
  ...copySource,
  ...storedHeaders,
  ...objectAcl,
  metadataDirective: oneOf('copy', 'replace').or('copy'),
  storageClass,
  tags: objectTags,
  taggingDirective: oneOf('copy', 'replace').or('copy'),
  checksumAlgorithm,
};

/**
 * Copies an object of up to 5 GB. No data is moved if the driver can share it. The copy is a Normal
 * object and a consistent snapshot. A copy onto itself with `replace` changes only headers and
 * metadata, and an appendable object stays appendable. Tags are copied only if the caller may read
 * them on the source and set them on the target. Throws NoSuchKey, EntityTooLarge, and
 * PreconditionFailed when a condition on the source does not hold.
 */
export const copyObject = action({
  name: 'CopyObject',
  on: 'object',
  permission: 'WRITE',
  modifies: true,
  usesObject: true,
  setsAcl: 'PutObjectAcl',
  setsTags: true,
  takes: 'nothing',
  parameters: input,

  async run(call) {
    const { key, input, bucket } = call;
    if (input.tags !== undefined && input.taggingDirective === 'copy') {
      const message = 'New tags require the tagging directive replace.';
      throw new StorageError('InvalidArgument', message);
    }
    const original = await call.source('READ', input.source, ({ size }) => size);
    const check = (record: ObjectRecord): void => {
      requireCopyable(input, record);
      if (record.size <= MAX_OBJECT_BYTES) return;
      const message = 'The source is larger than 5 GB. Copy it in parts with UploadPartCopy.';
      throw new StorageError('EntityTooLarge', message);
    };
    const ontoItself = input.source.bucket === bucket.name && input.source.key === key;
    const object = await (ontoItself ? update : copy)(call, original, check);
    const { etag, lastModified } = object;
    return { etag, lastModified: new Date(lastModified), checksum: checksumsOf(object)[0] };
  },
});

type CopyCall = Call<'object', typeof input>;
/** Throws when the source must not be copied. */
type Check = (record: ObjectRecord) => void;

async function copy(call: CopyCall, source: Admitted, check: Check): Promise<ObjectRecord> {
  const { store, bucket, key, input, permit } = call;
  const from = input.source;
  const [original, summed, copied] = await withObject(source, from.key, async (record) => {
    check(record);
    if (record.tags !== undefined && input.taggingDirective === 'copy') {
      await call.source('FULL_CONTROL', from, undefined, 'GetObjectTagging');
      await call.needs('FULL_CONTROL', 'PutObjectTagging');
    }
    const copying = copyingFor(call, from);
    const summed = await copiedChecksums(copying, record, input.checksumAlgorithm);
    return [record, summed, await shareObject(copying, record)] as const;
  });
  const { size, etag, md5, headers, metadata, tags } = original;
  const { content } = copied;
  return land(store, copied, () =>
    publish(store, permit, key, copied, () => {
      call.signal()?.throwIfAborted();
      return {
        type: 'Normal',
        size,
        etag,
        md5,
        ...summed,
        content,
        storageClass: input.storageClass ?? bucket.record.storageClass,
        tags: input.taggingDirective === 'replace' ? tagsOf(input) : tags,
        acl: objectAclOf(input), // The source's own list is not copied.
        ...(input.metadataDirective === 'replace' ? headersOf(input) : { headers, metadata }),
      };
    }),
  );
}

function update(call: CopyCall, source: Admitted, check: Check): Promise<ObjectRecord> {
  const { store, permit, key, input } = call;
  const { checksumAlgorithm: algorithm } = input;
  const copying = copyingFor(call, input.source);
  // If the data is replaced while it is read, the edit starts again.
  return withObject(source, key, () =>
    editObject(store, permit, key, async (record) => {
      call.signal()?.throwIfAborted();
      await source.confirm();
      await source.confirmObject(record);
      check(record);
      const changes = changed(input, record);
      if (algorithm === undefined) return changes;
      return {
        ...changes,
        checksum: undefined,
        ...(await copiedChecksums(copying, record, algorithm)),
      };
    }),
  );
}

/**
 * What a copy onto itself changes. Throws InvalidArgument if it changes nothing, which must be a
 * mistake.
 */
function changed(given: InputOf<typeof input>, record: ObjectRecord): Partial<ObjectRecord> {
  const replaces = given.metadataDirective === 'replace';
  const isEdit = given.storageClass !== undefined || given.checksumAlgorithm !== undefined;
  if (!replaces && !isEdit) {
    const message =
      'A copy of an object onto itself needs the metadata directive replace, a storage class or ' +
      'a checksum algorithm.';
    throw new StorageError('InvalidArgument', message);
  }
  const acl = objectAclOf(given);
  return {
    storageClass: given.storageClass ?? record.storageClass,
    ...(acl === undefined ? undefined : { acl, aclId: undefined }),
    ...(given.taggingDirective === 'replace' ? { tags: tagsOf(given) } : undefined),
    ...(replaces ? headersOf(given) : undefined),
  };
}
