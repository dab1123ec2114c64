import { listObjects as listObjectsOf } from '../engine/objects/list.js';
import { isoSeconds } from '../http/dates.js';
import { character, keyText, pageSize, query } from '../http/fields.js';
import { operation } from '../http/operation.js';
import { json } from '../http/render.js';
import { MAX_PAGE } from '../limits.js';

export interface ListedObject {
  readonly key: string;
  readonly lastModified: Date;
  readonly etag: string;
  readonly size: number;
  readonly storageClass: string;
  readonly owner: { readonly id: string; readonly displayName: string };
}

/**
 * One page of a bucket's objects in the order of their UTF-8 bytes, after the marker. With a
 * delimiter, keys that share what stands up to it are answered as one common prefix.
 */
export const listObjects = operation({
  name: 'ListObjects',
  route: { method: 'GET', on: 'bucket' },
  permission: 'LIST',
  takes: 'nothing',
  input: {
    prefix: query('prefix', keyText).or(''),
    delimiter: query('delimiter', character).or(''),
    marker: query('marker', keyText).or(''),
    maxKeys: query('maxKeys', pageSize).or(MAX_PAGE),
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

  respond({ contents, commonPrefixes, isTruncated, nextMarker }, { bucketName, input }) {
    return json(200, {
      name: bucketName,
      prefix: input.prefix,
      delimiter: input.delimiter || undefined,
      marker: input.marker,
      nextMarker,
      maxKeys: input.maxKeys,
      isTruncated,
      contents: contents.map(({ etag, lastModified, ...item }) => ({
        ...item,
        eTag: etag,
        lastModified: isoSeconds(+lastModified),
      })),
      commonPrefixes: commonPrefixes.length > 0 ? commonPrefixes : undefined,
    });
  },
});
