import type { Failure } from './messages.js';

/**
 * The system's names for SQLITE_FULL, SQLITE_READONLY and SQLITE_BUSY (another process held the
 * lock all the time), which callers expect.
 */
const CODES: Readonly<Record<number, string>> = { 13: 'ENOSPC', 8: 'EROFS', 5: 'EHOSTDOWN' };

/** `node:sqlite` has the extended error code in `errcode`; its low byte is the primary code. */
export function failureOf(error: unknown): Failure {
  const { message = String(error), errcode = 0 } = error as { message?: string; errcode?: number };
  return { message, code: CODES[errcode & 0xff] };
}

export function errorOf({ message, code }: Failure): Error {
  const error = new Error(`SQLite could not commit: ${message}`);
  return code === undefined ? error : Object.assign(error, { code });
}
