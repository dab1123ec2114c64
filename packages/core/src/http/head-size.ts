import { createYielder } from '../engine/concurrency/yielder.js';
import { StorageError } from '../errors.js';
import { MAX_HEAD } from '../limits.js';
import type { StorageRequest } from './message.js';

type Head = Pick<StorageRequest, 'url' | 'rawHeaders'>;

/** In characters. Reading or verifying a shorter head takes little time. */
const LONG = 4096;

const TOO_LONG =
  'The URL and the headers of the request are too long: they may have 32 KB together.';

/**
 * Throws InvalidHTTPRequest if the URL and the headers are longer than any client needs. In HTTP/2, a
 * client sends a long header again with a single byte, but each time it has to be verified.
 */
export function requireShortHead({ url, rawHeaders }: Head): void {
  let length = lengthOf({ url, rawHeaders });
  if (length <= MAX_HEAD) return;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    // The cookies of the app may be long. The storage does not read them.
    if (name.toLowerCase() === 'cookie') length -= name.length + value.length;
  }
  if (length > MAX_HEAD) throw new StorageError('InvalidHTTPRequest', TOO_LONG);
}

/**
 * Resolves when a long head may be read or its signature verified, so that many of them do not block
 * other requests. `undefined`: at once.
 */
export function turnForHead(head: Head): Promise<void> | undefined {
  return lengthOf(head) < LONG ? undefined : createYielder()();
}

function lengthOf({ url, rawHeaders }: Head): number {
  let length = url.length;
  for (const text of rawHeaders) length += text.length;
  return length;
}
