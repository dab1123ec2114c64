import { afterMarker, listPage } from '../engine/listing.js';
import { objectPrefix } from '../engine/records/keys.js';
import type { ObjectRecord } from '../engine/records/types.js';
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
    const base = objectPrefix(bucket.id);
    const start = afterMarker({ base, prefix, delimiter, marker });
    const page = await listPage(store.metadata, { base, prefix, delimiter, start, max });
    const { userId: id, userName: displayName } = bucket.record.owner;
    const contents: ListedObject[] = [];
    const commonPrefixes: { prefix: string }[] = [];
    for (const item of page.items) {
      if ('commonPrefix' in item) {
        commonPrefixes.push({ prefix: item.commonPrefix });
      } else {
        const { lastModified, etag, size, storageClass } = item.entry.value as ObjectRecord;
        const owner = { id, displayName };
        const time = new Date(lastModified);
        contents.push({
          key: item.name,
          lastModified: time,
          etag,
          size,
          storageClass,
          owner,
        });
      }
    }
    const { isTruncated } = page;
    return {
      contents,
      commonPrefixes,
      isTruncated,
      nextMarker: isTruncated ? page.last : undefined,
    };
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
