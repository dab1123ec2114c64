import type { Vocabulary } from '@bucketware/core/dialect';
import { CHECKSUM_HEADERS } from './request/checksums.js';

/** Query parameters, in lower case, of S3 features that no operation here supports. */
const FEATURES_IN_QUERY: ReadonlySet<string> = new Set([
  // Settings of buckets.
  ...['accelerate', 'analytics', 'encryption', 'intelligent-tiering', 'inventory', 'logging'],
  ...['metadatatable', 'metadataconfiguration', 'metrics', 'notification', 'object-lock'],
  ...['metadataannotationtable', 'metadatainventorytable', 'metadatajournaltable'],
  ...['ownershipcontrols', 'policy', 'policystatus', 'publicaccessblock', 'replication'],
  ...['requestpayment', 'versioning', 'website', 'abac'],
  // Properties of objects, and processing of objects.
  ...['legal-hold', 'retention', 'restore', 'select', 'select-type', 'tagging', 'torrent'],
  ...['versionid', 'session', 'renameobject', 'append', 'encryption'],
  ...['annotation', 'annotationname'],
  // Parameters of listings, when the operation does not read them.
  ...['versions', 'version-id-marker', 'partnumber'],
]);

/** Headers that clients send with any request and that may be ignored. */
const HARMLESS: ReadonlySet<string> = new Set([
  // Headers of the signature and of the body's encoding.
  ...['x-amz-date', 'x-amz-content-sha256', 'x-amz-security-token', 'x-amz-decoded-content-length'],
  ...['x-amz-trailer', 'x-amz-te', 'x-amz-cf-id', 'x-amz-user-agent', 'x-amz-source'],
  // Verified for every body.
  ...['x-amz-sdk-checksum-algorithm', ...CHECKSUM_HEADERS],
  // The requested checksum. The response contains the checksums that are known.
  ...['x-amz-checksum-algorithm', 'x-amz-checksum-mode'],
  // Checked for every request.
  'x-amz-expected-bucket-owner',
  // Nothing is locked, so there is nothing to bypass.
  'x-amz-bypass-governance-retention',
  // States that the client agrees to pay.
  'x-amz-request-payer',
]);

const SIGNATURE =
  /^(x-amz-(algorithm|credential|date|expires|signedheaders|signature|security-token|content-sha256)|x-id)$/i;

/** Parameters of signatures before version 4, which the verifier rejects. */
const OLD_SIGNATURE = /^(awsaccesskeyid|signature|expires)$/i;

/**
 * Headers that presigners move to the query, although they describe a body that does not exist yet.
 */
const MOVED =
  /^x-amz-(checksum-(crc32|crc32c|crc64nvme|sha1|sha256|mode|algorithm)|sdk-checksum-algorithm|expected-bucket-owner|request-payer|user-agent)$/;

const FOREIGN_HARMLESS = new Set([
  'date',
  'security-token',
  'user-agent',
  'request-id',
  'debug-id',
]);

/** The parameters and headers that S3 knows in addition to those that the operations read. */
export const VOCABULARY: Vocabulary = {
  isFeatureInQuery: (name) => FEATURES_IN_QUERY.has(name) || name.startsWith('x-amz-'),
  isFeature: () => true,
  harmless: HARMLESS,
  isHarmlessForeignHeader: (name) => FOREIGN_HARMLESS.has(name),
  isSignature: (name) => SIGNATURE.test(name) || OLD_SIGNATURE.test(name) || MOVED.test(name),
  // JavaScript clients send this header with copies, and leave it empty.
  mayBeEmpty: (name) => name === 'x-amz-copy-source-range',
};
