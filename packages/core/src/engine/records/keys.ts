import type { Principal } from '../../contracts/principal.js';

/**
 * The layout of all records. Objects, uploads and settings stand under the id of their bucket, which
 * is never used again: whoever still holds the id of a deleted bucket reaches nothing of a new one
 * that has its name. Neither names nor ids hold a `/`, so no two keys can be confused.
 */
export const STORE_KEY = 's/store';
export const LEASE_KEY = 's/lease';
export const LIFECYCLE_KEY = 's/lifecycle';
export const BUCKET_PREFIX = 'b/';
export const bucketKey = (bucket: string): string => `b/${bucket}`;
export const settingKey = (bucketId: string, name: string): string => `x/${bucketId}/${name}`;
export const objectPrefix = (bucketId: string): string => `o/${bucketId}/`;
export const objectKey = (bucketId: string, key: string): string => `o/${bucketId}/${key}`;
export const aclKey = (id: string): string => `a/${id}`;
export const inlineKey = (id: string): string => `i/${id}`;
export const MANIFEST_PREFIX = 'm/';
export const manifestKey = (id: string): string => MANIFEST_PREFIX + id;

/** NUL keeps uploads in the order of their keys, and the ids in the order of their times. */
export const uploadPrefix = (bucketId: string): string => `u/${bucketId}/`;
export const uploadKey = (bucketId: string, key: string, uploadId: string): string =>
  `${uploadPrefix(bucketId)}${key}\0${uploadId}`;
/** Of an upload, or of an object: `u/<bucket id>/<key>`. An id holds no slash. */
export const bucketIdOf = (key: string): string => key.slice(2, key.indexOf('/', 2));
export const uploadIdOf = (key: string): string => key.slice(key.indexOf('\0') + 1);
export const partPrefix = (uploadId: string): string => `p/${uploadId}/`;
export const partKey = (uploadId: string, partNumber: number): string =>
  partPrefix(uploadId) + String(partNumber).padStart(5, '0');
export const completedKey = (uploadId: string): string => `c/${uploadId}`;

/** The buckets of one owner, for ListBuckets. */
export const ownedPrefix = ({ tenantId, userId }: Principal): string =>
  `w/${encodeURIComponent(tenantId)}/${encodeURIComponent(userId)}/`;
/** Changes with each new bucket of an owner, so that two at a time see each other. */
export const ownerKey = ({ tenantId, userId }: Principal): string =>
  `n/${encodeURIComponent(tenantId)}/${encodeURIComponent(userId)}`;
export const ownedKey = (owner: Principal, bucket: string): string => ownedPrefix(owner) + bucket;

/** `~` cannot stand in a name, so no bucket has the name of another as its id. */
const ID_MARK = '~';
export const newBucketId = (name: string, random: string): string => name + ID_MARK + random;

/** The name of the bucket that an id was given to. */
export const nameOfBucketId = (bucketId: string): string => bucketId.split(ID_MARK)[0] as string;

/** Garbage orders by the time when it is due. */
export const GARBAGE_PREFIX = 'g/';
const DUE_DIGITS = 14;
export const garbageKey = (due: number, id: string): string =>
  `${GARBAGE_PREFIX}${String(due).padStart(DUE_DIGITS, '0')}/${id}`;

export function parseGarbageKey(key: string): { due: number; id: string } {
  const end = GARBAGE_PREFIX.length + DUE_DIGITS;
  return { due: Number(key.slice(GARBAGE_PREFIX.length, end)), id: key.slice(end + 1) };
}

/** The first key after `key`: NUL is the smallest character. */
export const after = (key: string): string => `${key}\0`;

/**
 * The first key after all that start with `prefix`, or `undefined` when there can be none:
 * the last character that has a successor is replaced by it.
 */
export function afterPrefix(prefix: string): string | undefined {
  const characters = Array.from(prefix);
  while (characters.length > 0) {
    const last = (characters.pop() as string).codePointAt(0) as number;
    if (last < 0x10ffff) {
      const next = last === 0xd7ff ? 0xe000 : last + 1;
      return characters.join('') + String.fromCodePoint(next);
    }
  }
  return undefined;
}
