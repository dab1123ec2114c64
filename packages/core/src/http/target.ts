import { checkBucketName, checkObjectKey } from '../engine/names.js';
import { StorageError } from '../errors.js';
import { isPlainObject, type KnownOptions, kinds } from '../options.js';
import type { Address } from './address.js';
import type { Dialect } from './dialect.js';
import type { RequestHeaders } from './headers.js';
import type { StorageRequest } from './message.js';
import { percentDecode, Query } from './query.js';

/** Where clients reach the storage. */
export interface PlaceOptions {
  /**
   * The path where the storage is mounted, such as `/storage`, for frameworks that do not strip it.
   * Requests to other paths are not for the storage, except in host style.
   */
  readonly mount?: string | undefined;
  /** Host style: with `objects.example.com`, the host `<bucket>.objects.example.com` is a bucket. */
  readonly baseHost?: string | undefined;
  /** Host names that each map to a bucket, such as `{ 'cdn.example.com': 'photos' }`. */
  readonly hosts?: Readonly<Record<string, string>> | undefined;
  /** The URL of the mount as clients see it, when a proxy rewrites it. Used for `location`. */
  readonly publicUrl?: string | undefined;
  /** Trust X-Forwarded-Host, -Proto and -Prefix. Only behind a proxy that sets them itself. */
  readonly trustProxy?: boolean | undefined;
}

const HOST = /^([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/i;

/** The allowed values of these options. */
export const PLACE_OPTIONS: KnownOptions<PlaceOptions> = {
  mount: {
    is: 'a path that begins with /, without query',
    fits: (value) => typeof value === 'string' && /^\/[^?#\s]*$/.test(value),
  },
  baseHost: {
    is: 'a host name such as objects.example.com, without port',
    fits: (value) => typeof value === 'string' && value.length <= 253 && HOST.test(value),
  },
  hosts: {
    is: "an object of hosts and buckets such as { 'cdn.example.com': 'photos' }, without ports",
    fits: isHostMap,
  },
  publicUrl: { is: 'an http or https url without query', fits: isPublicUrl },
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
    return false; // InvalidBucketName is all that it throws.
  }
}

function isPublicUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !/^https?:\/\/[^?#\s]+$/i.test(value)) return false;
  return URL.canParse(value) && new URL(value).username === '';
}

/** Where a request was sent: the bucket is known, the rest is not decoded yet. */
export interface Place {
  readonly bucket: string | undefined;
  readonly key: string;
  readonly query: string;
  /** The host as browsers know it, with its port. */
  ownHost(): string;
  /** The URL of the bucket as the client would write it, without a trailing slash. */
  bucketUrl(): string;
  /**
   * The addresses of the request: as `publicUrl` and trusted proxies say it was sent, then as it
   * arrived.
   */
  sentTo(): readonly Address[];
}

/**
 * The bucket and key of a request. Parsed once, and used for authorization and by the operation.
 */
export interface Target {
  readonly bucket: string | undefined;
  readonly key: string | undefined;
  readonly query: Query;
}

/** Decodes the key of a place. Throws InvalidURI, InvalidObjectName. */
export const readTarget = ({ bucket, key, query }: Place): Target => ({
  bucket,
  key: key === '' ? undefined : checkObjectKey(decodePath(key)),
  query: new Query(query),
});

/** Finds the bucket in host or path. Undefined: the request is not for the storage. */
export function findPlace(
  request: StorageRequest,
  headers: RequestHeaders,
  options: PlaceOptions,
  { pathOf }: Pick<Dialect, 'pathOf'>,
): Place | undefined {
  const host = forwarded('host', headers, options) ?? headers.get('host') ?? '';
  const bucketInHost = bucketOfHost(host, options);
  const url = request.url.startsWith('/') ? request.url : `/${request.url}`;
  const [path, query] = splitOnce(url, '?');
  const below = bucketInHost === undefined ? stripMount(path, options.mount) : path;
  if (below === undefined) {
    requireOneMount(request.mount, options.mount);
    return undefined;
  }
  const origin = () => {
    const proto = forwarded('proto', headers, options) ?? (request.encrypted ? 'https' : 'http');
    return `${proto}://${host}`;
  };

  const arrived = { host: headers.get('host') ?? '', path: request.mount + path };
  const proxied = () => {
    const prefix = forwarded('prefix', headers, options) ?? '';
    const isSame = prefix === '' && host === arrived.host;
    return isSame ? [arrived] : [{ host, path: prefix + arrived.path }, arrived];
  };

  if (bucketInHost !== undefined) {
    const bucket = checkBucketName(bucketInHost);
    const bucketUrl = () => origin() + request.mount;
    const key = below.slice(1);
    return { bucket, key, query, ownHost: () => host, bucketUrl, sentTo: proxied };
  }
  const { publicUrl, mount = '' } = options;
  const sentTo = () => {
    if (publicUrl === undefined) return proxied();
    const { host: name, pathname } = new URL(publicUrl);
    return [{ host: name, path: trimSlash(pathname) + below }, ...proxied()];
  };
  // Without a name of its own, the app cannot tell its name from any that leads to it.
  const ownHost = () => (publicUrl === undefined ? host : new URL(publicUrl).host);
  const root = () => {
    const prefix = forwarded('prefix', headers, options) ?? '';
    return trimSlash(publicUrl ?? `${origin()}${prefix}${request.mount}${mount}`);
  };
  const [bucketText, keyText] = splitOnce(pathOf(below).slice(1), '/');
  if (bucketText === '' && keyText === '') {
    return { bucket: undefined, key: '', query, ownHost, bucketUrl: root, sentTo };
  }
  const bucket = checkBucketName(decodePath(bucketText));
  const bucketUrl = () => `${root()}/${bucket}`;
  return { bucket, key: keyText, query, ownHost, bucketUrl, sentTo };
}

/** What a trusted proxy says. */
const forwarded = (
  what: 'host' | 'proto' | 'prefix',
  headers: RequestHeaders,
  { trustProxy }: PlaceOptions,
): string | undefined =>
  trustProxy ? headers.get(`x-forwarded-${what}`)?.split(',')[0]?.trim() : undefined;

/** The path of an object below its bucket. Slashes are not encoded, as in the interface. */
export const encodeKey = (key: string): string => encodeURIComponent(key).replaceAll('%2F', '/');

function decodePath(text: string): string {
  const decoded = percentDecode(text);
  if (decoded === undefined) throw new StorageError('InvalidURI');
  return decoded;
}

function stripMount(path: string, mount: string | undefined): string | undefined {
  const prefix = trimSlash(mount ?? '');
  if (prefix === '') return path;
  if (path === prefix) return '/';
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined;
}

/** A path that the framework has already stripped cannot be stripped again. */
function requireOneMount(stripped: string, mount: string | undefined): void {
  const prefix = trimSlash(mount ?? '');
  if (prefix === '' || !trimSlash(stripped).endsWith(prefix)) return;
  const message =
    `The storage is mounted at ${prefix} twice: by the framework and by the option mount. ` +
    'Leave out the option.';
  throw new StorageError('InternalError', message, { cause: new Error(message) });
}

/**
 * The bucket of a host: one that is mapped to a bucket, or the labels before the base host.
 * Undefined for any other host.
 */
function bucketOfHost(host: string, { hosts, baseHost }: PlaceOptions): string | undefined {
  if (hosts === undefined && (baseHost === undefined || baseHost === '')) return undefined;
  const name = host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
  const own = Object.keys(hosts ?? {}).find((candidate) => candidate.toLowerCase() === name);
  if (own !== undefined) return hosts?.[own];
  if (baseHost === undefined || baseHost === '') return undefined;
  const suffix = `.${baseHost.toLowerCase()}`;
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : undefined;
}

const trimSlash = (text: string): string => (text.endsWith('/') ? text.slice(0, -1) : text);

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}
