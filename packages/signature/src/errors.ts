export { SignatureError, type SignatureErrorCode } from '@bucketware/core/contracts';
