import { listUploads } from '../engine/uploads/list.js';
import { isoSeconds } from '../http/dates.js';
import { character, keyText, pageSize, query } from '../http/fields.js';
import { operation } from '../http/operation.js';
import { json } from '../http/render.js';
import { MAX_PAGE } from '../limits.js';

export interface ListedUpload {
  readonly key: string;
  readonly uploadId: string;
  readonly owner: { readonly id: string; readonly displayName: string };
  readonly initiated: Date;
  readonly storageClass: string;
}

/**
 * One page of a bucket's unfinished uploads, by key and then by start. A page that ends among the
 * uploads of one key goes on behind `uploadIdMarker`; without it, behind the whole key.
 */
export const listMultipartUploads = operation({
  name: 'ListMultipartUploads',
  route: { method: 'GET', on: 'bucket', query: ['uploads'] },
  permission: 'LIST',
  takes: 'nothing',
  input: {
    prefix: query('prefix', keyText).or(''),
    delimiter: query('delimiter', character).or(''),
    keyMarker: query('keyMarker', keyText).or(''),
    uploadIdMarker: query('uploadIdMarker', keyText).or(''),
    maxUploads: query('maxUploads', pageSize).or(MAX_PAGE),
  },

  async run({ store, bucket, input }) {
    const { prefix, delimiter, keyMarker, uploadIdMarker, maxUploads: max } = input;
    const listing = { prefix, delimiter, keyMarker, uploadIdMarker, max };
    const page = await listUploads(store, bucket, listing);
    const { isTruncated, next } = page;
    const uploads = page.uploads.map(({ key, uploadId, upload }): ListedUpload => {
      const { owner, initiated, storageClass } = upload;
      const { userId: id, userName: displayName } = owner;
      const time = new Date(initiated);
      return { key, uploadId, owner: { id, displayName }, initiated: time, storageClass };
    });
    const commonPrefixes = page.commonPrefixes.map((commonPrefix) => ({ prefix: commonPrefix }));
    const { keyMarker: nextKeyMarker, uploadIdMarker: nextUploadIdMarker } = next ?? {};
    return {
      ...{ uploads, commonPrefixes, isTruncated },
      ...(nextKeyMarker === undefined ? undefined : { nextKeyMarker }),
      ...(nextUploadIdMarker === undefined ? undefined : { nextUploadIdMarker }),
    };
  },

  respond({ uploads, commonPrefixes, isTruncated, ...next }, { bucketName, input }) {
    return json(200, {
      bucket: bucketName,
      prefix: input.prefix,
      delimiter: input.delimiter || undefined,
      keyMarker: input.keyMarker,
      uploadIdMarker: input.uploadIdMarker || undefined,
      ...next,
      maxUploads: input.maxUploads,
      isTruncated,
      uploads: uploads.map((item) => ({ ...item, initiated: isoSeconds(+item.initiated) })),
      commonPrefixes: commonPrefixes.length > 0 ? commonPrefixes : undefined,
    });
  },
});
