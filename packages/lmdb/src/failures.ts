import { statfsSync } from 'node:fs';
import { constants } from 'node:os';

/** What Windows calls ENOSPC. */
const ERROR_DISK_FULL = 112;

/** With less room than this a large commit may not fit. */
const NEARLY_FULL_BYTES = 16 * 1024 * 1024;

/** LMDB gives the system's number of an error; callers look for its name. */
function nameOf(cause: unknown): string | undefined {
  const number = (cause as { code?: unknown } | undefined)?.code;
  if (process.platform === 'win32') return number === ERROR_DISK_FULL ? 'ENOSPC' : undefined;
  return Object.entries(constants.errno).find(([, errno]) => errno === number)?.[0];
}

/** Why a commit failed, by the system's name. What fits only in part LMDB calls EIO as well. */
export function codeOf(cause: unknown, directory: string): string | undefined {
  const name = nameOf(cause);
  return name === 'EIO' && isNearlyFull(directory) ? 'ENOSPC' : name;
}

function isNearlyFull(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize < NEARLY_FULL_BYTES;
  } catch {
    return false; // A disk that cannot answer this is broken, not full.
  }
}

/** It is unknown whether the commit happened. */
export const commitFailure = (cause: unknown, code: string | undefined): Error =>
  Object.assign(new Error('LMDB could not commit.', { cause }), code && { code });

/** This commit certainly did not happen, and none will. */
export function readOnly(cause: unknown): Error {
  const message =
    'The records are read-only after a failed write. Close the storage and open it again, here or with a restart.';
  return Object.assign(new Error(message, { cause }), { code: 'EROFS' });
}

/** lmdb-js rejects with a general error whose `commitError` is a promise that rejects as well. */
export async function reason(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  return commitError ? commitError.catch((cause: unknown) => cause) : error;
}
