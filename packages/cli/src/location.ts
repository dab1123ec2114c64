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

const REMOTE = /^([a-z0-9][a-z0-9-]{1,61}[a-z0-9]):(.*)$/s;

/** `bucket:key` is in the storage, everything else is a path. */
export function parseLocation(text: string): Location {
  const [, bucket, key] = REMOTE.exec(text) ?? [];
  return bucket === undefined ? { path: text } : { bucket, key: key as string };
}

export const isRemote = (location: Location): location is RemotePlace => 'bucket' in location;

/** A place in the storage: `bucket` or `bucket:key`. */
export function parseRemote(text: string): RemotePlace {
  const location = parseLocation(text.includes(':') ? text : `${text}:`);
  if (isRemote(location)) return location;
  throw new UsageError(
    `${text} is not a place in the storage. Write bucket or bucket:key. ${BUCKET_NAMES}`,
  );
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
