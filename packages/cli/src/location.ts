import { UsageError } from './failures.js';

/** A bucket, with a key or a prefix of keys. */
export interface RemotePlace {
  readonly bucket: string;
  /** Empty: the bucket itself. */
  readonly key: string;
}

export type Location = RemotePlace | { readonly path: string };

/** The rule that a mistyped place usually breaks. */
export const BUCKET_NAMES = 'A bucket name has 3 to 63 lowercase letters, digits and hyphens.';

const NAME = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;
const NAME_WITH_DOTS = /^(?!.*\.\.)[a-z0-9-][a-z0-9.-]{1,61}[a-z0-9-]$/;

const isWindows = process.platform === 'win32';

/**
 * `bucket:key` is in the storage. As for scp, a path has no colon before its first slash. Throws a
 * `UsageError` for any other name before the colon: if a mistyped bucket counted as a path, `mv`
 * would move objects out of the storage.
 */
export function parseLocation(text: string): Location {
  const place = split(text);
  if (place === undefined) return { path: text };
  if (NAME.test(place.bucket)) return place;
  throw new UsageError(`${whyNot(text, place.bucket)} For a local path, write ./${text}.`);
}

/** The texts around the first colon, or `undefined` if it is part of a path. */
function split(text: string): RemotePlace | undefined {
  const [bucket = '', ...rest] = text.split(':');
  const isPath = bucket.includes('/') || (isWindows && /^[a-z]$|\\/i.test(bucket));
  return rest.length === 0 || isPath ? undefined : { bucket, key: rest.join(':') };
}

/** The JSON interface does not accept such names. */
export const onlyInS3 = (bucket: string): string =>
  `Only S3 clients can use buckets with dots in their names, such as ${bucket}.`;

const whyNot = (text: string, bucket: string): string =>
  NAME_WITH_DOTS.test(bucket) && bucket.includes('.')
    ? onlyInS3(bucket)
    : `${text} is not a place in the storage. Write bucket or bucket:key. ${BUCKET_NAMES}`;

export const isRemote = (location: Location): location is RemotePlace => 'bucket' in location;

/** A place in the storage: `bucket` or `bucket:key`. */
export function parseRemote(text: string): RemotePlace {
  const place = split(text.includes(':') ? text : `${text}:`);
  if (place !== undefined && NAME.test(place.bucket)) return place;
  throw new UsageError(whyNot(text, place?.bucket ?? ''));
}

/** An object in the storage: `bucket:key`. */
export function parseObject(text: string): RemotePlace {
  const place = parseRemote(text);
  if (place.key !== '') return place;
  throw new UsageError(`${text} is not an object. Write bucket:key.`);
}

/** A bucket, which may be followed by a colon. */
export function parseBucket(text: string): string {
  const { bucket, key } = parseRemote(text);
  if (key === '') return bucket;
  throw new UsageError(`${text} is not the name of a bucket.`);
}

/** The prefix of the keys in a folder. */
export const asFolder = (key: string): string =>
  key === '' || key.endsWith('/') ? key : `${key}/`;

/** A directory, or a folder of the storage. */
export const folderAt = (location: Location): Location =>
  isRemote(location) ? { ...location, key: asFolder(location.key) } : location;

/** Whether a place is in a folder of the storage, or is that folder. */
export const isInside = (place: Location, folder: Location): boolean =>
  isRemote(place) &&
  isRemote(folder) &&
  place.bucket === folder.bucket &&
  place.key.startsWith(folder.key);

/** The object of a path below a folder. */
export const below = ({ bucket, key }: RemotePlace, path: string): RemotePlace => ({
  bucket,
  key: key + path,
});
