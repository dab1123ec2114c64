import { StorageError } from '../errors.js';
import { copySource, requireCopyable, sourceConditions } from '../http/copy-source.js';
import { isoSeconds } from '../http/dates.js';
import { header, type InputOf, oneOfIgnoringCase } from '../http/fields.js';
import { headersOf, storageClass, storedHeaders } from '../http/object-headers.js';
import { operation } from '../http/operation.js';
import { json } from '../http/render.js';
import { MAX_OBJECT_BYTES } from '../limits.js';
import { asContent } from '../model/content.js';
import { pardon } from '../model/garbage.js';
import { inlineKey } from '../model/keys.js';
import { changeObject, publish, withObject } from '../model/objects.js';
import { orDiscard } from '../model/receive.js';
import type { Content, ObjectRecord } from '../model/records.js';
import { type Shared, shareObject } from '../model/share.js';
import { newId, together } from '../model/store.js';

const input = {
  ...copySource,
  ...sourceConditions,
  ...storedHeaders,
  metadataDirective: header('x-svc-metadata-directive', oneOfIgnoringCase('copy', 'replace')).or(
    'copy',
  ),
  storageClass: header('x-svc-storage-class', storageClass),
};

/**
 * Copies an object of up to 5 GB; no byte is moved where the driver can share them. The copy is a
 * Normal object, a snapshot of one instant. Onto itself with `replace`, only headers and metadata
 * change, and an appendable object stays one.
 */
export const copyObject = operation({
  name: 'CopyObject',
  route: { method: 'PUT', on: 'object', headers: ['x-svc-copy-source'] },
  permission: 'WRITE',
  takes: 'nothing',
  slow: true,
  input,

  async run({ store, bucket, key, input, source }) {
    await source('READ', input.source);
    const judge = (record: ObjectRecord): void => {
      requireCopyable(input, record);
      if (record.size > MAX_OBJECT_BYTES) {
        const message = 'The source is larger than 5 GB. Copy it in parts with UploadPartCopy.';
        throw new StorageError('EntityTooLarge', message);
      }
    };
    if (input.source.bucket === bucket.name && input.source.key === key) {
      return result(
        await changeObject(store, bucket.name, key, (record) => {
          judge(record);
          return { ...record, ...changed(input, record) };
        }),
      );
    }
    const [original, shared] = await withObject(
      store,
      input.source.bucket,
      input.source.key,
      async (record) => {
        judge(record);
        return [record, await shareObject(store, record)] as const;
      },
    );
    const { content, change } = contentOf(shared);
    return orDiscard(store, shared, async () =>
      result(
        await publish(store, bucket.name, key, change, () => {
          const { size, etag, md5, crc32, headers, metadata } = original;
          return {
            type: 'Normal',
            size,
            etag,
            ...(md5 === undefined ? undefined : { md5 }),
            ...(crc32 === undefined ? undefined : { crc32 }),
            storageClass: input.storageClass ?? bucket.record.storageClass,
            content,
            ...(input.metadataDirective === 'replace' ? headersOf(input) : { headers, metadata }),
          };
        }),
      ),
    );
  },

  // The interface writes ETag, its clients read eTag.
  respond: ({ eTag, lastModified }) =>
    json(200, { ETag: eTag, eTag, lastModified: isoSeconds(+lastModified) }),
});

const result = ({ etag: eTag, lastModified }: ObjectRecord) => ({
  eTag,
  lastModified: new Date(lastModified),
});

/** What a copy onto itself changes. Without a change it is a mistake. */
function changed(given: InputOf<typeof input>, record: ObjectRecord): Partial<ObjectRecord> {
  const replaces = given.metadataDirective === 'replace';
  if (!replaces && given.storageClass === undefined) {
    const message = 'A copy of an object onto itself needs x-svc-metadata-directive: replace.';
    throw new StorageError('InvalidArgument', message);
  }
  return {
    storageClass: given.storageClass ?? record.storageClass,
    ...(replaces ? headersOf(given) : undefined),
  };
}

function contentOf({ bytes, segments, condemned }: Shared & { bytes: Uint8Array | undefined }) {
  if (bytes !== undefined) {
    const inline = newId();
    const content: Content = { inline };
    return { content, change: { put: [{ key: inlineKey(inline), value: bytes }] } };
  }
  const { content, change } = asContent(segments);
  return { content: content as Content, change: together(change, pardon(condemned)) };
}
