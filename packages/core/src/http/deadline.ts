import type { StorageError } from '../errors.js';
import { HttpError } from './http-error.js';

export const tooSlow = (ms: number): StorageError =>
  new HttpError(
    'RequestTimeout',
    `The body was not there within ${ms} milliseconds. Send the request again, and faster.`,
    { status: 408, headers: { connection: 'close' } },
  );

/**
 * Rejects with RequestTimeout (408) when `arrival` takes longer than `ms` milliseconds. Nothing can end
 * what still waits for bytes: it ends with its connection.
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
