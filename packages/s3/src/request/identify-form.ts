import {
  type Identified,
  identifyForm as identify,
  type UnderstoodRequest,
} from '@bucketware/core/dialect';
import type { S3Verifier } from '@bucketware/signature';
import { answerable, invalid, malformedForm } from '../errors.js';

const KEYLESS =
  "Bucket POST must contain a field named 'key'. If it is specified, please check the order of the fields.";

/** Identifies who sent a form that uploads an object (POST Object). */
export const identifyForm = (verifier: S3Verifier, about: UnderstoodRequest): Promise<Identified> =>
  identify(about, {
    verify: (fields) =>
      verifier.verifyForm({ fields, bucket: about.bucket, now: about.now() }).catch((error) => {
        throw answerable(error);
      }),
    malformed: malformedForm,
    keyless: () => invalid(KEYLESS),
    tooLarge: 'EntityTooLarge',
  });
