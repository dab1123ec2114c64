import type { Vocabulary } from '@bucketware/core/dialect';
import { CHECKSUM_HEADERS } from './request/checksums.js';

/** Query parameters, in lower case, by which S3 is asked for something that no operation here does. */
const FEATURES_IN_QUERY: ReadonlySet<string> = new Set([
  // Settings of buckets.
  ...['accelerate', 'analytics', 'encryption', 'intelligent-tiering', 'inventory', 'logging'],
  ...['metadatatable', 'metadataconfiguration', 'metrics', 'notification', 'object-lock'],
  ...['ownershipcontrols', 'policy', 'policystatus', 'publicaccessblock', 'replication'],
  ...['requestpayment', 'versioning', 'website', 'abac'],
  // What objects have, and what is made of them.
  ...['legal-hold', 'retention', 'restore', 'select', 'select-type', 'tagging', 'torrent'],
  ...['versionid', 'session', 'renameobject', 'append', 'encryption'],
  // Pages, where they are none of the operation's own.
  ...['versions', 'version-id-marker', 'partnumber'],
]);

/** Headers that clients send with any request, and whose absence from an answer says enough. */
const HARMLESS: ReadonlySet<string> = new Set([
  // Of the signature and of the body's coding.
  ...['x-amz-date', 'x-amz-content-sha256', 'x-amz-security-token', 'x-amz-decoded-content-length'],
  ...['x-amz-trailer', 'x-amz-te', 'x-amz-cf-id', 'x-amz-user-agent', 'x-amz-source'],
  // Verified with every body.
  ...['x-amz-sdk-checksum-algorithm', ...CHECKSUM_HEADERS],
  // Which checksum is wanted: those that are known are answered.
  ...['x-amz-checksum-algorithm', 'x-amz-checksum-mode'],
  // Compared with every request.
  'x-amz-expected-bucket-owner',
  // Nothing is locked, so there is nothing to bypass.
  'x-amz-bypass-governance-retention',
  // The client would pay.
  'x-amz-request-payer',
]);

const SIGNATURE =
  /^(x-amz-(algorithm|credential|date|expires|signedheaders|signature|security-token|content-sha256)|x-id)$/i;

/** Of the signature before version 4, which the verifier refuses. */
const OLD_SIGNATURE = /^(awsaccesskeyid|signature|expires)$/i;

/** What a presigner moves to the query though it belongs to the body that is still to come. */
const MOVED =
  /^x-amz-(checksum-(crc32|crc32c|crc64nvme|sha1|sha256|mode|algorithm)|sdk-checksum-algorithm|expected-bucket-owner|request-payer|user-agent)$/;

const FOREIGN_HARMLESS = new Set([
  'date',
  'security-token',
  'user-agent',
  'request-id',
  'debug-id',
]);

/** What S3 knows beside what its operations read. */
export const VOCABULARY: Vocabulary = {
  isFeatureInQuery: (name) => FEATURES_IN_QUERY.has(name) || name.startsWith('x-amz-'),
  isFeature: () => true,
  harmless: HARMLESS,
  isForeignHarmless: (name) => FOREIGN_HARMLESS.has(name),
  isSignature: (name) => SIGNATURE.test(name) || OLD_SIGNATURE.test(name) || MOVED.test(name),
  // Clients in JavaScript send it empty with copies.
  mayBeEmpty: (name) => name === 'x-amz-copy-source-range',
};
