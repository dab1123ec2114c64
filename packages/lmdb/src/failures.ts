import { statfsSync } from 'node:fs';
import { constants } from 'node:os';
import { systemCode } from '@bucketware/core/contracts';

/** The number of ENOSPC on Windows. */
const ERROR_DISK_FULL = 112;

/** If less room than this is left, a large commit may not fit. */
const NEARLY_FULL_BYTES = 16 * 1024 * 1024;

/** LMDB returns the system's number of an error; callers expect its name. */
function nameOf(cause: unknown): string | undefined {
  const number = (cause as { code?: unknown } | undefined)?.code;
  if (process.platform === 'win32') return number === ERROR_DISK_FULL ? 'ENOSPC' : undefined;
  return Object.entries(constants.errno).find(([, errno]) => errno === number)?.[0];
}

/**
 * The system's name for the cause of a failed commit. LMDB also reports EIO when data fits only
 * partly.
 */
export function codeOf(cause: unknown, directory: string): string | undefined {
  const name = nameOf(cause);
  return name === 'EIO' && isNearlyFull(directory) ? 'ENOSPC' : name;
}

function isNearlyFull(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize < NEARLY_FULL_BYTES;
  } catch {
    return false; // A disk that cannot report its free space is broken, not full.
  }
}

/** The code of an error before anything was written. ENOSPC for every lack of space. */
export function codeBefore(cause: unknown): string | undefined {
  const code = systemCode(cause);
  return code === 'EDQUOT' || code === 'EFBIG' ? 'ENOSPC' : code;
}

/** The error of a commit that may or may not have happened. */
export const commitFailure = (cause: unknown, code: string | undefined): Error =>
  Object.assign(new Error('LMDB could not commit.', { cause }), code && { code });

/** The error of a commit that certainly did not happen, and of all later ones. */
export function readOnly(cause: unknown): Error {
  const message =
    'The records are read-only after a failed write. Close the storage and open it again, here or with a restart.';
  return Object.assign(new Error(message, { cause }), { code: 'EROFS' });
}

/**
 * The cause of a failed commit. lmdb-js rejects with a general error whose `commitError` is a
 * promise that rejects with the cause.
 */
export async function reason(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  return commitError ? commitError.catch((cause: unknown) => cause) : error;
}
