import type { Principal } from '../../contracts/principal.js';
import { isGrants, type OwnAcl } from './acls.js';
import { isUploadChecksum, type UploadChecksum } from './checksums.js';
import { type HeaderPair, isHeaderPairs } from './content.js';
import { RecordKind } from './kind.js';
import { isPrincipal } from './principals.js';
import { isBoolean, isNumber, isText, optional, shape } from './shape.js';
import { isTags, type Tagged } from './tags.js';

export interface UploadRecord extends OwnAcl, Tagged {
  readonly initiated: number;
  /** The caller who started it. */
  readonly owner: Principal;
  readonly storageClass: string;
  /** The checksum that the upload announces. Every part has one with this algorithm. */
  readonly checksum?: UploadChecksum | undefined;
  readonly headers: readonly HeaderPair[];
  readonly metadata: readonly HeaderPair[];
  /**
   * Set while CompleteMultipartUpload reads the parts. A commit that changes a part clears it, so
   * the completion notices, however the two interleave.
   */
  readonly completing: boolean;
}

export interface UploadId {
  readonly bucketId: string;
  readonly key: string;
  readonly uploadId: string;
}

/** The NUL after the key keeps uploads sorted by key, and then by id, which means by time. */
export const uploadRecords = new RecordKind<UploadId, UploadRecord>({
  name: 'an upload',
  prefix: 'u/',
  key: ({ bucketId, key, uploadId }) => `u/${bucketId}/${key}\0${uploadId}`,
  parse(key) {
    const slash = key.indexOf('/', 2);
    const end = key.indexOf('\0', slash);
    const bucketId = key.slice(2, slash);
    return { bucketId, key: key.slice(slash + 1, end), uploadId: key.slice(end + 1) };
  },
  fits: shape<UploadRecord>({
    initiated: isNumber,
    owner: isPrincipal,
    storageClass: isText,
    checksum: optional(isUploadChecksum),
    headers: isHeaderPairs,
    metadata: isHeaderPairs,
    completing: isBoolean,
    acl: optional(isGrants),
    aclId: optional(isText),
    tags: optional(isTags),
  }),
});

/** The common prefix of the keys of all uploads to a bucket. */
export const uploadsOf = (bucketId: string): string => `u/${bucketId}/`;

/** The same for all uploads to one key. */
export const uploadsTo = (bucketId: string, key: string): string => `u/${bucketId}/${key}\0`;

/** The object's key, from the rest of a record key after {@link uploadsOf}. */
export const keyOfUpload = (name: string): string => name.slice(0, name.indexOf('\0'));
