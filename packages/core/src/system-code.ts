import { constants } from 'node:os';

/**
 * The system's name for an error, such as ENOSPC. Node knows the error of a used-up quota, EDQUOT,
 * only by its number.
 */
export function systemCode(error: unknown): string | undefined {
  const { code, errno } = (error ?? {}) as NodeJS.ErrnoException;
  return errno === -constants.errno.EDQUOT ? 'EDQUOT' : code;
}
