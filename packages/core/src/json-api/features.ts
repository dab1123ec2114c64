import { PREFIX } from './header-prefix.js';

const own = (...names: readonly string[]): readonly string[] => names.map((name) => PREFIX + name);

/**
 * Query parameters, in lower case, by which this dialect or S3 asks for something that no operation
 * here does. Without them a request would mean something else, so it is refused, reads included.
 */
const FEATURES_IN_QUERY: ReadonlySet<string> = new Set([
  // Objects and buckets that never change, and what becomes of them.
  ...['objectlock', 'completeobjectlock', 'extendobjectlock', 'object-lock', 'retention'],
  ...['legal-hold', 'copyrightprotection', 'versioning', 'versions', 'versionid'],
  ...['versionidmarker', 'version-id-marker', 'trash', 'restore', 'storageclass'],
  // Other copies.
  ...['mirroring', 'replication', 'replicationprogress', 'fetch', 'symlink', 'inventory'],
  // Who may, who pays, and how much.
  ...['policy', 'policystatus', 'publicaccessblock', 'ownershipcontrols', 'requestpayment'],
  ...['quota', 'userquota', 'encryption'],
  // What is known of objects, and what is made of them.
  ...['tagging', 'attributes', 'select', 'select-type', 'torrent'],
  ...['statesummary', 'metrics', 'analytics', 'intelligent-tiering', 'accelerate'],
  ...['metadatatable', 'metadataconfiguration', 'renameobject', 'website', 'logging'],
  'notification',
  // Pages of a listing as S3 writes them. Without them the first page would come again and again.
  ...['list-type', 'continuation-token', 'start-after', 'max-keys', 'key-marker', 'max-uploads'],
  ...['upload-id-marker', 'max-parts', 'part-number-marker', 'encoding-type', 'fetch-owner'],
]);

/**
 * Whether a parameter, in lower case, asks for something that is not offered. So do headers that
 * were moved to the query, as in signed urls: ours are read as headers only.
 */
export const isFeatureInQuery = (name: string, prefix: string): boolean =>
  FEATURES_IN_QUERY.has(name) || [PREFIX, prefix, 'x-amz-'].some((own) => name.startsWith(own));

/** Headers, in lower case, by which a client asks for something that no operation here does. */
const FEATURES_IN_HEADERS = own(
  ...['bucket-type', 'callback', 'callback-address', 'delete-recursive', 'delete-token'],
  ...['fetch-mode', 'fetch-referer', 'fetch-source', 'fetch-user-agent', 'list-with-ext-meta'],
  ...['object-expires', 'object-lock-mode', 'object-rentention-date', 'object-retention-date'],
  ...['process', 'restore-days', 'restore-tier', 'symlink-bucket', 'symlink-target', 'tag-list'],
  ...['tagging', 'tagging-directive', 'version-id', 'versioning'],
);

/** The same for whole families of them. */
const FAMILIES = own('callback-', 'fetch-', 'server-side-encryption', 'copy-source-server-side-');

export const isFeature = (header: string): boolean =>
  FEATURES_IN_HEADERS.includes(header) || FAMILIES.some((family) => header.startsWith(family));

/**
 * Headers of ours that clients send with any request and that may be ignored: they ask for nothing
 * that would be missing from the answer, and protect nothing.
 */
export const HARMLESS_HEADERS: ReadonlySet<string> = new Set(
  own(
    // When the request was made, by whom, and how it is found in logs.
    ...['date', 'security-token', 'user-agent', 'source', 'request-id', 'debug-id'],
    // The digest of a body is compared where there is one.
    'content-sha256',
    // Reads always show what was committed last.
    'consistency-view',
    // The client would pay, or take its bytes more slowly.
    ...['request-payer', 'traffic-limit'],
  ),
);

/** Names without a prefix that clients and proxies of other dialects send with any request. */
const FOREIGN_HARMLESS: ReadonlySet<string> = new Set([
  ...['date', 'security-token', 'user-agent', 'request-id', 'id-2', 'debug-id'],
  ...['request-payer', 'traffic-limit', 'cf-id'],
]);

/**
 * Whether a header of another dialect may be ignored by a change. Others ask for a copy, a right, a
 * condition or a digest, so that without them something else would be stored.
 */
export const isForeignHarmless = (name: string, value: string): boolean =>
  FOREIGN_HARMLESS.has(name) || (name === 'content-sha256' && value === 'UNSIGNED-PAYLOAD');
