export type {
  ContentLengthRange,
  Credential,
  Credentials,
  Signatures,
  SignedForm,
  SignedRequest,
} from '@bucketware/core/contracts';
export { SignatureError, type SignatureErrorCode } from './errors.js';
export type { FormUpload } from './form.js';
export { type Payload, withoutAwsChunked } from './s3/payload.js';
export {
  presignS3,
  type S3HeaderTarget,
  type S3Target,
  type S3UrlTarget,
  s3Links,
  signS3,
} from './s3/sign.js';
export {
  type S3Verifier,
  type S3VerifierOptions,
  s3Verifier,
  type VerifiedS3Request,
} from './s3/verifier.js';
export type { Signer, Target } from './target.js';
export { presignV1, signV1, type V1Target } from './v1/sign.js';
export { type V1SignatureOptions, v1Signatures } from './v1/signatures.js';
export {
  type V1Verifier,
  type V1VerifierOptions,
  type VerifiedV1Request,
  v1Verifier,
} from './v1/verifier.js';
