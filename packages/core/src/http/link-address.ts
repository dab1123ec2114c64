import { checkBucketName, checkObjectKey } from '../engine/names.js';
import { ownHostOf, type PlaceOptions } from './place-options.js';
import { encodeKey } from './target.js';

interface Names {
  readonly bucket: string | undefined;
  readonly key: string | undefined;
}

interface LinkAddress {
  readonly publicUrl: string;
  /** The path below `publicUrl`, percent-encoded. */
  readonly rawPath: string;
}

/**
 * The address of a bucket or object below a public URL. The bucket is in the path, or in the host
 * name if that belongs to a bucket or is the base of such names. Throws a TypeError when the URL
 * cannot lead to the bucket.
 */
export function linkAddress(
  publicUrl: string | undefined,
  place: PlaceOptions,
  { bucket, key }: Names,
): LinkAddress {
  if (publicUrl === undefined) throw new TypeError(NO_URL);
  const path = key === undefined ? '' : rawKey(checkObjectKey(key));
  if (bucket === undefined) return { publicUrl, rawPath: '/' };
  const name = checkBucketName(bucket);
  const url = new URL(publicUrl);
  const own = ownHostOf(url.hostname, place)?.bucket;
  if (own === undefined) {
    // At the host of a bucket, the whole path is a key, so a path of the URL must stay at its host.
    if (url.hostname !== place.baseHost?.toLowerCase() || url.pathname !== '/') {
      return { publicUrl, rawPath: key === undefined ? `/${name}` : `/${name}/${path}` };
    }
    url.hostname = `${name}.${url.hostname}`;
  } else if (own !== name) {
    throw new TypeError(`presign(): ${publicUrl} leads to the bucket ${own}, not to ${name}.`);
  } else if (url.pathname !== '/') {
    const message = `presign(): the path of ${publicUrl} would be part of the key. Leave it out.`;
    throw new TypeError(message);
  }
  return { publicUrl: url.href, rawPath: `/${path}` };
}

const NO_URL =
  'presign() needs publicUrl, the URL of the mount as clients see it, such as ' +
  'https://example.com/storage. Pass it to the middleware or to presign().';

/**
 * Browsers, curl and fetch resolve `.` and `..` between slashes, even if percent-encoded. So in a
 * key with such a segment, slashes are percent-encoded. (For the keys `.` and `..` themselves,
 * there is no such workaround.)
 */
const rawKey = (key: string): string =>
  key.split('/').some((segment) => segment === '.' || segment === '..')
    ? encodeURIComponent(key)
    : encodeKey(key);
