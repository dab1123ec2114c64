import { StorageError } from '@bucketware/client';

/** Sizes, times and failures in words. */

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  if (unit === 0) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  return `${value.toLocaleString(undefined, { maximumFractionDigits: value < 10 ? 1 : 0 })} ${UNITS[unit]}`;
}

export const numberText = (value: number): string => value.toLocaleString();

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${numberText(count)} ${count === 1 ? one : many}`;

const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export const timeText = (time: Date): string => DATE.format(time);

/** The message for the user, with what they can do if possible. */
export function errorText(error: unknown): string {
  if (!(error instanceof StorageError))
    return error instanceof Error ? error.message : String(error);
  const { code, status, message, requestId } = error;
  if (code === 'Unauthorized' || status === 401)
    return 'Your session has ended. Please log in again.';
  if (code === 'NetworkError') return 'The server cannot be reached. Check your connection.';
  return requestId !== undefined && status >= 500 ? `${message} (Request ${requestId})` : message;
}

/** With these characters, a name can look like another one: `fdp.exe` like `exe.pdf`. */
const UNSEEN = /[\p{Cc}\p{Bidi_Control}]/gu;

/** A key or name as it can be shown. */
export const visible = (text: string): string =>
  text.trim() === '' ? '(only spaces)' : text.replace(UNSEEN, '\ufffd');

/** The last segment of a key, to be shown. A folder keeps its slash. */
export const nameOf = (key: string): string =>
  visible(key.slice(key.lastIndexOf('/', key.length - 2) + 1) || key);
