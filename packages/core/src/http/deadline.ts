import type { StorageError } from '../errors.js';
import { HttpError } from './http-error.js';

export const tooSlow = (ms: number): StorageError =>
  new HttpError(
    'RequestTimeout',
    `The body did not arrive within ${ms} milliseconds. Send it again over a faster connection.`,
    { status: 408, headers: { connection: 'close' } },
  );

/**
 * Rejects with RequestTimeout (408) when `arrival` takes longer than `ms` milliseconds. A pending
 * read cannot be cancelled: it ends with its connection.
 */
export async function within<T>(ms: number | undefined, arrival: Promise<T>): Promise<T> {
  if (ms === undefined) return arrival;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow(ms)), ms).unref();
  });
  try {
    return await Promise.race([arrival, late]);
  } finally {
    clearTimeout(timer);
  }
}
