import { nameOfBucket } from '../actions/bucket-name.js';
import { checkObjectKey } from '../engine/names.js';
import { StorageError } from '../errors.js';
import type { Address } from './address.js';
import type { Dialect } from './dialect.js';
import { requireShortHead } from './head-size.js';
import type { RequestHeaders } from './headers.js';
import type { StorageRequest } from './message.js';
import { type OwnHost, ownHostOf, type PlaceOptions } from './place-options.js';
import { percentDecode, Query } from './query.js';
import { originSent } from './sent-url.js';

/** Where a request was sent. The bucket is known, but the rest is not decoded yet. */
export interface Place {
  readonly bucket: string | undefined;
  readonly key: string;
  readonly query: string;
  /** The host as browsers know it, with its port. */
  ownHost(): string;
  /** The URL of the bucket as the client would write it, without a trailing slash. */
  bucketUrl(): string;
  /**
   * The addresses of the request: first the one that follows from `publicUrl` and the forwarded
   * host, then the one at which it arrived. The path means the same object at each of them.
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

/** A path and a query without the characters that parsers read differently. */
export const ONE_READING = /^(\/[^\\#?]*)?(\?[^#]*)?$/;

/**
 * Whether the mount, which the framework has stripped from the path that was sent, has no empty
 * segments. Express 4 takes `/api//storage` for `/api/storage` if a router is nested, but a rule for
 * `/api/storage` does not see it.
 */
export function isMountExact(sent: string, below: string): boolean {
  const [path] = splitOnce(sent, '?');
  const rest = splitOnce(below, '?')[0] || '/';
  // Express adds the slash of `/storage?list`. Any other path was rewritten by the app.
  if (!path.endsWith(rest) && rest !== '/') return true;
  const mount = path.endsWith(rest) ? path.slice(0, path.length - rest.length) : path;
  return !`${mount}/`.includes('//');
}

/**
 * Frameworks, proxies and rules of the app read other paths and hosts from such a request target, or
 * change it before the storage sees it, so it could get past a login, or name another object. Only
 * clients of forward proxies send the absolute form (RFC 9112 section 3.2.2). In HTTP/2, a path may
 * lack its slash. Throws InvalidURI.
 */
function requireOneReading(sent: string): void {
  if (/[^\x21-\x7e]/.test(sent)) throw new StorageError('InvalidURI', NOT_ENCODED);
  if (/^[^/?]/.test(sent)) throw new StorageError('InvalidURI', ABSOLUTE);
  if (!ONE_READING.test(sent)) {
    throw new StorageError('InvalidURI', 'Percent-encode # as %23, and \\ in the path as %5C.');
  }
}

const NOT_ENCODED = 'The URL contains characters other than ASCII. Percent-encode them as UTF-8.';
const EMPTY_SEGMENT = 'The path has two slashes in a row before the bucket.';
const ABSOLUTE = 'Send only the path and the query in the request line, without the host.';

/** Finds the bucket in host or path. Returns `undefined` if the request is not for the storage. */
export function findPlace(
  request: StorageRequest,
  headers: RequestHeaders,
  options: PlaceOptions,
  { pathOf, conventions }: Pick<Dialect, 'pathOf' | 'conventions'>,
): Place | undefined {
  const [authority, pathAndQuery] = splitUrl(request.url);
  const sentHost = authority ?? headers.get('host') ?? '';
  const host = forwarded('host', headers, options) ?? sentHost;
  const ownHost = ownHostOf(host, options);
  const [path, query] = splitOnce(pathAndQuery, '?');
  const below = ownHost === undefined ? stripMount(path, options) : path;
  if (below === undefined) {
    requireOneMount(request.mount, options.mount);
    return undefined;
  }
  requireShortHead(request);
  requireOneReading(request.url);
  const { original = request.url } = request;
  if (original !== request.url) {
    requireOneReading(original);
    if (!isMountExact(original, request.url)) throw new StorageError('InvalidURI', EMPTY_SEGMENT);
  }
  const origin = () => {
    const proto = forwarded('proto', headers, options) ?? (request.encrypted ? 'https' : 'http');
    return `${proto}://${host}`;
  };

  // Does not include the forwarded prefix: a client that could choose the prefix could move a
  // signed path, and with it the signature, to another object.
  const mount = request.mount + (ownHost === undefined ? trimSlash(options.mount ?? '') : '');
  const proxied = () =>
    Array.from(new Set([host, sentHost]))
      .filter((name) => leadsTo(ownHost, name, options))
      .map((name) => ({ host: name, path: request.mount + path, mount }));

  if (ownHost?.bucket !== undefined) {
    const bucket = nameOfBucket(ownHost.bucket, conventions);
    const bucketUrl = () => origin() + request.mount;
    const key = below.slice(1);
    return { bucket, key, query, ownHost: () => host, bucketUrl, sentTo: proxied };
  }
  // With a mount, the public URL does not apply to the storage's own host.
  const isAtUrl = ownHost === undefined || options.mount === undefined;
  const publicUrl = isAtUrl ? options.publicUrl : undefined;
  const sentTo = () => {
    if (publicUrl === undefined) return proxied();
    const { host: name, pathname, protocol } = new URL(publicUrl);
    if (ownHostOf(name, options)?.bucket !== undefined) return proxied();
    const prefix = trimSlash(pathname);
    const atUrl = (as: string): Address => ({ host: as, path: prefix + below, mount: prefix });
    // At that host, the path that arrived may be the one of another object.
    const others = proxied().map((sent) =>
      isHost(sent.host, name, protocol) ? atUrl(sent.host) : sent,
    );
    return [atUrl(name), ...others];
  };
  // Without `publicUrl`, any host name that leads here counts as the app's own.
  const hostName = () => (publicUrl === undefined ? host : new URL(publicUrl).host);
  const root = () => {
    const prefix = forwarded('prefix', headers, options) ?? '';
    return trimSlash(publicUrl ?? origin() + prefix + mount);
  };
  const [bucketText, keyText] = splitOnce(pathOf(below).slice(1), '/');
  if (bucketText === '' && keyText === '') {
    return { bucket: undefined, key: '', query, ownHost: hostName, bucketUrl: root, sentTo };
  }
  const bucket = nameOfBucket(decodePath(bucketText), conventions);
  if (ownHost === undefined && mount !== '') requireBelowMount(below);
  const bucketUrl = () => `${root()}/${bucket}`;
  return { bucket, key: keyText, query, ownHost: hostName, bucketUrl, sentTo };
}

/** The host, path and query of a request target. Only the absolute form contains the host. */
function splitUrl(url: string): [authority: string | undefined, pathAndQuery: string] {
  if (url.startsWith('/')) return [undefined, url];
  if (url === '' || url.startsWith('?')) return [undefined, `/${url}`];
  const [, authority, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  if (authority === undefined) return [undefined, url];
  return [authority, rest.startsWith('/') ? rest : `/${rest}`];
}

/**
 * Whether a path has the same meaning at a host: at the host of a bucket, the whole path is a key.
 */
function leadsTo(own: OwnHost | undefined, host: string, options: PlaceOptions): boolean {
  const other = ownHostOf(host, options);
  return (other === undefined) === (own === undefined) && other?.bucket === own?.bucket;
}

/** Whether the host that a client names is that of a URL, which has no default port. */
function isHost(sent: string, host: string, protocol: string): boolean {
  return originSent(`${protocol}//${sent}`)?.host === host;
}

/** The value of a header from a trusted proxy. */
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

/** Without `mount`, a storage with its own host is only at that host. */
function stripMount(path: string, { mount, host }: PlaceOptions): string | undefined {
  const prefix = trimSlash(mount ?? '');
  if (prefix === '') return mount === undefined && host !== undefined ? undefined : path;
  if (path === prefix) return '/';
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined;
}

/**
 * A path that `..` leads out of the mount. Proxies and frameworks that resolve it, some after they have
 * decoded it, take it for a path of the app, so that no login for the mount sees it. Throws InvalidURI.
 */
function requireBelowMount(below: string): void {
  if (!DOTS.test(below)) return;
  let depth = 0;
  for (const segment of decodePath(below).split(/[/\\]/)) {
    if (segment === '..') depth--;
    else if (segment !== '' && segment !== '.') depth++;
    if (depth < 0) throw new StorageError('InvalidURI', 'The segments .. lead out of the storage.');
  }
}

const DOTS = /(\.|%2e){2}/i;

/**
 * Throws when the framework has already stripped the mount, so that it cannot be stripped again.
 */
function requireOneMount(stripped: string, mount: string | undefined): void {
  const prefix = trimSlash(mount ?? '');
  if (prefix === '' || !trimSlash(stripped).endsWith(prefix)) return;
  const message =
    `The storage is mounted at ${prefix} twice: by the framework and by the option mount. ` +
    'Leave out the option.';
  throw new StorageError('InternalError', message, { cause: new Error(message) });
}

const trimSlash = (text: string): string => (text.endsWith('/') ? text.slice(0, -1) : text);

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}
