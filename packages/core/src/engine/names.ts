import { StorageError } from '../errors.js';
import { MAX_KEY_BYTES } from '../limits.js';

const BUCKET_NAME = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

export function checkBucketName(name: unknown): string {
  if (typeof name !== 'string' || !BUCKET_NAME.test(name)) {
    throw new StorageError('InvalidBucketName');
  }
  return name;
}

/** Keys are opaque text: `a/../b`, `//` and both forms of `é` are different objects. */
export function checkObjectKey(key: unknown): string {
  if (
    typeof key !== 'string' ||
    key === '' ||
    key.includes('\0') ||
    !key.isWellFormed() ||
    Buffer.byteLength(key) > MAX_KEY_BYTES
  ) {
    throw new StorageError('InvalidObjectName');
  }
  return key;
}
