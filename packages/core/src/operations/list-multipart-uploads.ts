import { afterMarker, listPage } from '../engine/listing.js';
import { after, afterPrefix, uploadPrefix } from '../engine/records/keys.js';
import type { UploadRecord } from '../engine/records/types.js';
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
    // No key holds NUL, but behind one the records hold the upload's id.
    if (prefix.includes('\0')) return { uploads: [], commonPrefixes: [], isTruncated: false };
    const base = uploadPrefix(bucket.id);
    const behindKey = (): string | undefined =>
      uploadIdMarker === ''
        ? afterPrefix(`${base}${keyMarker}\0`)
        : after(`${base}${keyMarker}\0${uploadIdMarker}`);
    const start = afterMarker({ base, prefix, delimiter, marker: keyMarker }, behindKey);
    const page = await listPage(store.metadata, { base, prefix, delimiter, start, max, keyOf });

    const uploads: ListedUpload[] = [];
    const commonPrefixes: { prefix: string }[] = [];
    let next: { nextKeyMarker: string; nextUploadIdMarker?: string } | undefined;
    for (const item of page.items) {
      if ('commonPrefix' in item) {
        commonPrefixes.push({ prefix: item.commonPrefix });
        next = { nextKeyMarker: item.commonPrefix };
        continue;
      }
      const { owner, initiated, storageClass } = item.entry.value as UploadRecord;
      const key = keyOf(item.name);
      const uploadId = item.name.slice(key.length + 1);
      uploads.push({
        key,
        uploadId,
        owner: { id: owner.userId, displayName: owner.userName },
        initiated: new Date(initiated),
        storageClass,
      });
      next = { nextKeyMarker: key, nextUploadIdMarker: uploadId };
    }
    const { isTruncated } = page;
    return { uploads, commonPrefixes, isTruncated, ...(isTruncated ? next : undefined) };
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

/** The name of an upload is its key, NUL and its id. */
const keyOf = (name: string): string => name.slice(0, name.indexOf('\0'));
