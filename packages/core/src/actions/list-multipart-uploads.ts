import type { UploadChecksum } from '../engine/records/checksums.js';
import { listUploads } from '../engine/uploads/list.js';
import { MAX_PAGE } from '../limits.js';
import { action } from './action.js';
import { character, keyText, pageSize } from './parameters/parameter.js';

/** An unfinished upload in a listing. */
export interface ListedUpload {
  readonly key: string;
  readonly uploadId: string;
  readonly owner: { readonly id: string; readonly displayName: string };
  /** When the upload was started. */
  readonly initiated: Date;
  readonly storageClass: string;
  /** The checksum that the object is to have. */
  readonly checksum?: UploadChecksum;
}

/**
 * One page of a bucket's unfinished uploads, sorted by key and then by start time. The page starts
 * after the upload `uploadIdMarker` of the key; without it, after all uploads of the key.
 */
export const listMultipartUploads = action({
  name: 'ListMultipartUploads',
  on: 'bucket',
  permission: 'LIST',
  isRead: true,
  isLong: true,
  takes: 'nothing',
  parameters: {
    prefix: keyText.or(''),
    delimiter: character.or(''),
    keyMarker: keyText.or(''),
    uploadIdMarker: keyText.or(''),
    maxUploads: pageSize.or(MAX_PAGE),
  },

  async run({ store, bucket, input }) {
    const { prefix, delimiter, keyMarker, uploadIdMarker, maxUploads: max } = input;
    const listing = { prefix, delimiter, keyMarker, uploadIdMarker, max };
    const page = await listUploads(store, bucket, listing);
    const { isTruncated, next } = page;
    const uploads = page.uploads.map(({ key, uploadId, upload }): ListedUpload => {
      const { owner, initiated, storageClass, checksum } = upload;
      const { userId: id, userName: displayName } = owner;
      const time = new Date(initiated);
      return {
        ...{ key, uploadId, owner: { id, displayName }, initiated: time, storageClass },
        ...(checksum && { checksum }),
      };
    });
    const commonPrefixes = page.commonPrefixes.map((commonPrefix) => ({ prefix: commonPrefix }));
    const { keyMarker: nextKeyMarker, uploadIdMarker: nextUploadIdMarker } = next ?? {};
    return {
      ...{ uploads, commonPrefixes, isTruncated },
      ...(nextKeyMarker === undefined ? undefined : { nextKeyMarker }),
      ...(nextUploadIdMarker === undefined ? undefined : { nextUploadIdMarker }),
    };
  },
});
