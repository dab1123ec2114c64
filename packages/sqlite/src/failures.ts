import type { Failure } from './messages.js';

/**
 * System error codes, which callers check for, for SQLITE_FULL, SQLITE_READONLY and SQLITE_BUSY
 * (another process held the lock for too long).
 */
const CODES: Readonly<Record<number, string>> = { 13: 'ENOSPC', 8: 'EROFS', 5: 'EHOSTDOWN' };

/** `errcode` of `node:sqlite` is the extended error code. Its low byte is the primary code. */
export function failureOf(error: unknown): Failure {
  const { message = String(error), errcode = 0 } = error as { message?: string; errcode?: number };
  return { message, code: CODES[errcode & 0xff] };
}

export function errorOf({ message, code }: Failure): Error {
  const error = new Error(`SQLite could not commit: ${message}`);
  return code === undefined ? error : Object.assign(error, { code });
}
