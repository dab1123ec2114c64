import {
  type Identified,
  identifyForm as identify,
  signedRequests,
  type UnderstoodRequest,
} from '@bucketware/core/dialect';
import type { S3Verifier } from '@bucketware/signature';
import { asS3Error, invalid, invalidRequest, malformedForm, unsupported } from '../errors.js';
import { CHECKSUM_HEADERS } from './checksums.js';

const KEYLESS =
  "Bucket POST must contain a field named 'key'. If it is specified, please check the order of the fields.";

/** Identifies the sender of a form that uploads an object (POST Object). */
export function identifyForm(verifier: S3Verifier, about: UnderstoodRequest): Promise<Identified> {
  requireFieldsAlone(verifier, about);
  return identify(about, {
    verify: (fields) =>
      verifier.verifyForm({ fields, bucket: about.bucket, now: about.now() }).catch((error) => {
        throw asS3Error(error);
      }),
    malformed: malformedForm,
    keyless: () => invalid(KEYLESS),
    tooLarge: 'EntityTooLarge',
  });
}

/** Headers that describe a body but have no equivalent field in forms. */
const ABOUT_BODY = [
  ...['content-md5', 'x-amz-content-sha256', 'x-amz-decoded-content-length', 'x-amz-trailer'],
  ...CHECKSUM_HEADERS,
];

/**
 * Throws if a form is signed or described in its headers or query, because these are not verified.
 */
function requireFieldsAlone(verifier: S3Verifier, about: UnderstoodRequest): void {
  if (signedRequests(about).some((request) => verifier.isSigned(request))) {
    throw invalidRequest('Sign a form in its fields, not in its headers or query.');
  }
  const found = ABOUT_BODY.find((name) => about.headers.has(name));
  if (found === undefined) return;
  throw unsupported(`The header ${found} of a form is not verified. Send a field for its file.`);
}
