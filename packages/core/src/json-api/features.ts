import { PREFIX } from './header-prefix.js';

const own = (...names: readonly string[]): readonly string[] => names.map((name) => PREFIX + name);

/**
 * Query parameters, in lower case, of features of this dialect or S3 that no operation here
 * supports. Ignoring one would change the meaning of the request, so the request fails, even if it
 * is a read.
 */
const FEATURES_IN_QUERY: ReadonlySet<string> = new Set([
  // Versions, locks and other protection of objects and buckets.
  ...['objectlock', 'completeobjectlock', 'extendobjectlock', 'object-lock', 'retention'],
  ...['legal-hold', 'copyrightprotection', 'versioning', 'versions', 'versionid'],
  ...['versionidmarker', 'version-id-marker', 'trash', 'restore', 'storageclass'],
  // Other copies.
  ...['mirroring', 'replication', 'replicationprogress', 'fetch', 'symlink', 'inventory'],
  // Access, payment and quotas.
  ...['policy', 'policystatus', 'publicaccessblock', 'ownershipcontrols', 'requestpayment'],
  ...['quota', 'userquota', 'encryption'],
  // Descriptions of objects, and processing of objects.
  ...['tagging', 'attributes', 'select', 'select-type', 'torrent'],
  ...['statesummary', 'metrics', 'analytics', 'intelligent-tiering', 'accelerate'],
  ...['metadatatable', 'metadataconfiguration', 'renameobject', 'website', 'logging'],
  'notification',
  // Parameters of a listing as in S3. If they were ignored, the client would get the first page
  // again and again.
  ...['list-type', 'continuation-token', 'start-after', 'max-keys', 'key-marker', 'max-uploads'],
  ...['upload-id-marker', 'max-parts', 'part-number-marker', 'encoding-type', 'fetch-owner'],
]);

/**
 * Whether a parameter, in lower case, requests something that is not supported. This includes
 * headers that were moved to the query, as in signed URLs: headers of this dialect are read only as
 * headers.
 */
export const isFeatureInQuery = (name: string, prefix: string): boolean =>
  FEATURES_IN_QUERY.has(name) || [PREFIX, prefix, 'x-amz-'].some((own) => name.startsWith(own));

/** The Java client adds an empty parameter to every upload. */
export const isIdle = (name: string, prefix: string): boolean => name === `${prefix}process`;

/** Headers, in lower case, of features that no operation here supports. */
const FEATURES_IN_HEADERS = own(
  ...['bucket-type', 'callback', 'callback-address', 'delete-recursive', 'delete-token'],
  ...['fetch-mode', 'fetch-referer', 'fetch-source', 'fetch-user-agent', 'list-with-ext-meta'],
  ...['object-expires', 'object-lock-mode', 'object-rentention-date', 'object-retention-date'],
  ...['process', 'restore-days', 'restore-tier', 'symlink-bucket', 'symlink-target', 'tag-list'],
  ...['tagging', 'tagging-directive', 'version-id', 'versioning'],
);

/** The same for whole families of headers. */
const FAMILIES = own('callback-', 'fetch-', 'server-side-encryption', 'copy-source-server-side-');

export const isFeature = (header: string): boolean =>
  FEATURES_IN_HEADERS.includes(header) || FAMILIES.some((family) => header.startsWith(family));

/**
 * Headers of this dialect that clients send with any request and that may be ignored: they change
 * neither the response nor any protection.
 */
export const HARMLESS_HEADERS: ReadonlySet<string> = new Set(
  own(
    // Time, caller and log id of the request.
    ...['date', 'security-token', 'user-agent', 'source', 'request-id', 'debug-id'],
    // The digest of a body, which is compared when there is a body.
    'content-sha256',
    // Reads always see the last commit.
    'consistency-view',
    // The client offers to pay, or requests a slower transfer.
    ...['request-payer', 'traffic-limit'],
  ),
);

/**
 * Header names without their prefix that clients and proxies of other dialects send with any
 * request.
 */
const FOREIGN_HARMLESS: ReadonlySet<string> = new Set([
  ...['date', 'security-token', 'user-agent', 'request-id', 'id-2', 'debug-id'],
  ...['request-payer', 'traffic-limit', 'cf-id'],
]);

/**
 * Whether a change may ignore a header of another dialect. Other headers request a copy, a grant, a
 * condition or a digest: if they were ignored, the result would be different.
 */
export const isHarmlessForeignHeader = (name: string, value: string): boolean =>
  FOREIGN_HARMLESS.has(name) || (name === 'content-sha256' && value === 'UNSIGNED-PAYLOAD');
