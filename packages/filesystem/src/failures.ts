import { BlobNotFoundError, systemCode } from '@bucketware/core/contracts';

/** Throws the error with its name in `code`, which Node lacks for EDQUOT. */
export function named(error: unknown): never {
  throw Object.assign(error as Error, { code: systemCode(error) });
}

/** Throws, except if the file does not exist. */
export function unlessAbsent(error: unknown): void {
  if (systemCode(error) !== 'ENOENT') throw error;
}

/** BlobNotFoundError if the file of a blob does not exist, otherwise the error itself. */
export const notFound = (error: unknown, id: string): unknown =>
  systemCode(error) === 'ENOENT' ? new BlobNotFoundError(id, { cause: error }) : error;

/** Whether the file has too many hard links already, or the file system has no hard links. */
export const isLinkRefused = (error: unknown): boolean =>
  ['EMLINK', 'EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(systemCode(error) ?? '');
