import { listObjects as listObjectsOf } from '../engine/objects/list.js';
import { MAX_PAGE } from '../limits.js';
import { action } from './action.js';
import { character, keyText, pageSize } from './parameters/parameter.js';

/** An object in a listing. */
export interface ListedObject {
  readonly key: string;
  readonly lastModified: Date;
  /** The ETag, without quotes. */
  readonly etag: string;
  /** In bytes. */
  readonly size: number;
  readonly storageClass: string;
  readonly owner: { readonly id: string; readonly displayName: string };
}

/**
 * One page of a bucket's objects after the marker, sorted by the UTF-8 bytes of their keys. With a
 * delimiter, keys that are equal up to it are returned as one common prefix.
 */
export const listObjects = action({
  name: 'ListObjects',
  on: 'bucket',
  permission: 'LIST',
  isRead: true,
  isLong: true,
  takes: 'nothing',
  parameters: {
    prefix: keyText.or(''),
    delimiter: character.or(''),
    marker: keyText.or(''),
    maxKeys: pageSize.or(MAX_PAGE),
  },

  async run({ store, bucket, input }) {
    const { prefix, delimiter, marker, maxKeys: max } = input;
    const listing = { prefix, delimiter, marker, max };
    const page = await listObjectsOf(store, bucket, listing);
    const { userId: id, userName: displayName } = bucket.record.owner;
    const contents = page.objects.map(({ key, object }): ListedObject => {
      const { lastModified, etag, size, storageClass } = object;
      const owner = { id, displayName };
      return { key, lastModified: new Date(lastModified), etag, size, storageClass, owner };
    });
    const commonPrefixes = page.commonPrefixes.map((commonPrefix) => ({ prefix: commonPrefix }));
    const { isTruncated, last } = page;
    return { contents, commonPrefixes, isTruncated, nextMarker: isTruncated ? last : undefined };
  },
});
