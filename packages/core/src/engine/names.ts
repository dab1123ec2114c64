import { StorageError } from '../errors.js';
import { MAX_KEY_BYTES } from '../limits.js';

/** A label of a host name. */
const LABEL = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
const IP_ADDRESS = /^\d+\.\d+\.\d+\.\d+$/;

/** A name without dots, valid in every dialect. Throws InvalidBucketName. */
export function checkPlainName(name: unknown): string {
  if (isName(name) && LABEL.test(name)) return name;
  throw new StorageError('InvalidBucketName');
}

/** A name that may have dots, like a host name. Throws InvalidBucketName. */
export function checkBucketName(name: unknown): string {
  if (isName(name) && !IP_ADDRESS.test(name) && name.split('.').every(isLabel)) return name;
  const message =
    'A bucket name has 3 to 63 characters of a-z, 0-9, - and dots. It starts and ends with a letter or digit, ' +
    'and so does each part between dots. It must not be an IP address.';
  throw new StorageError('InvalidBucketName', message);
}

const isName = (name: unknown): name is string =>
  typeof name === 'string' && name.length >= 3 && name.length <= 63;
const isLabel = (text: string): boolean => LABEL.test(text);

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
