import { checkBucketName } from '../engine/names.js';
import { isPlainObject, type KnownOptions, kinds } from '../options.js';

/** Where clients reach the storage. */
export interface PlaceOptions {
  /**
   * The path where the storage is mounted, such as `/storage`, for frameworks that do not strip it.
   * Other paths do not belong to the storage, except on hosts that are buckets.
   */
  readonly mount?: string | undefined;
  /**
   * A host name that is only for the storage, such as `s3.example.com`: its root is the root of the
   * storage, and `<bucket>.s3.example.com` is a bucket. Without `mount`, requests to other hosts
   * are not for the storage.
   */
  readonly host?: string | undefined;
  /**
   * The base of host names for buckets: with `objects.example.com`, the host
   * `<bucket>.objects.example.com` is a bucket. Without `mount` and `host`, middleware at the root
   * of the app also handles the requests to all other hosts, with the bucket in the path.
   */
  readonly baseHost?: string | undefined;
  /**
   * Host names that each map to a bucket, such as `{ 'cdn.example.com': 'photos' }`. Requests to
   * other hosts are handled as with `baseHost`.
   */
  readonly hosts?: Readonly<Record<string, string>> | undefined;
  /**
   * The URL of the mount as clients see it, if a proxy rewrites it. With `host` and without
   * `mount`, the URL of that host. Used in links and in responses with a `location`.
   */
  readonly publicUrl?: string | undefined;
  /**
   * Whether to trust X-Forwarded-Host, -Proto and -Prefix. Set it only behind a proxy that sets
   * these headers itself. Signatures are not verified with the forwarded prefix: set `publicUrl`
   * for that.
   */
  readonly trustProxy?: boolean | undefined;
}

const HOST = /^([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/i;

const aHostName = (example: string) => ({
  is: `a host name such as ${example}, without a port`,
  fits: (value: unknown) => typeof value === 'string' && value.length <= 253 && HOST.test(value),
});

/** The allowed values of these options. */
export const PLACE_OPTIONS: KnownOptions<PlaceOptions> = {
  mount: {
    is: 'a path that begins with /, without a query',
    fits: (value) => typeof value === 'string' && /^\/[^?#\s]*$/.test(value),
  },
  host: aHostName('s3.example.com'),
  baseHost: aHostName('objects.example.com'),
  hosts: {
    is: "an object of hosts and buckets such as { 'cdn.example.com': 'photos' }, without ports",
    fits: isHostMap,
  },
  publicUrl: { is: 'an http or https URL without a query', fits: isPublicUrl },
  trustProxy: kinds.aBoolean,
};

function isHostMap(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const names = Object.keys(value).map((host) => host.toLowerCase());
  const fits = Object.entries(value).every(([host, bucket]) => HOST.test(host) && isBucket(bucket));
  return fits && new Set(names).size === names.length;
}

function isBucket(value: unknown): boolean {
  try {
    return checkBucketName(value) === value;
  } catch {
    return false; // The only possible error is InvalidBucketName.
  }
}

function isPublicUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !/^https?:\/\/[^?#\s]+$/i.test(value)) return false;
  return URL.canParse(value) && new URL(value).username === '';
}

/** A host of the storage: a bucket, or the root of the storage. */
export interface OwnHost {
  /** The name of the bucket, not checked yet; `undefined` for the root of the storage. */
  readonly bucket: string | undefined;
}

const NONE: Readonly<Record<string, string>> = {};
const ROOT: OwnHost = { bucket: undefined };

/**
 * The names of the request headers with the host, if the host decides which object a path means;
 * otherwise `undefined`.
 */
export function hostHeaders(options: PlaceOptions): string | undefined {
  const { host, baseHost, hosts, trustProxy } = options;
  if (host === undefined && baseHost === undefined && hosts === undefined) return undefined;
  return trustProxy ? 'Host, X-Forwarded-Host' : 'Host';
}

/**
 * What a host name means: a bucket that it is mapped to, the storage's own host, or a bucket below
 * that or below the base host. `undefined` for any other host.
 */
export function ownHostOf(
  host: string,
  { host: root, hosts = NONE, baseHost }: PlaceOptions,
): OwnHost | undefined {
  if (root === undefined && baseHost === undefined && hosts === NONE) return undefined;
  const name = host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
  const mapped = Object.keys(hosts).find((candidate) => candidate.toLowerCase() === name);
  if (mapped !== undefined) return { bucket: hosts[mapped] };
  if (name === root?.toLowerCase()) return ROOT;
  // One of the two may be a subdomain of the other. It is not a bucket.
  if (name === baseHost?.toLowerCase()) return undefined;
  const parents = [root, baseHost].filter((parent) => parent !== undefined);
  const [suffix] = parents
    .map((parent) => `.${parent.toLowerCase()}`)
    .filter((candidate) => name.endsWith(candidate))
    .sort((a, b) => b.length - a.length);
  return suffix === undefined ? undefined : { bucket: name.slice(0, -suffix.length) };
}
