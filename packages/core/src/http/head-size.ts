import { createHeadYielder, type YieldIfDue } from '../engine/concurrency/yielder.js';
import { clientGone, StorageError } from '../errors.js';
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
export function requireShortHead(head: Head): void {
  if (lengthOf(head) <= MAX_HEAD) return;
  // The cookies of the app may be long. The storage does not read them.
  if (lengthOf(head, isCookie) > MAX_HEAD) throw new StorageError('InvalidHTTPRequest', TOO_LONG);
}

/**
 * The turns in which a long head is read and its signature verified, so that many of them do not
 * block other requests. A turn rejects when the client has left. Throws ServiceUnavailable when too
 * many are waiting.
 */
export function turnsForHead(request: StorageRequest): YieldIfDue {
  if (lengthOf(request) < LONG || lengthOf(request, isOfLogin) < LONG) return NO_TURNS;
  const isGone = () => request.isGone?.() === true;
  const yieldIfDue = createHeadYielder(isGone);
  return () =>
    yieldIfDue()?.then(() => {
      if (isGone()) throw clientGone();
    });
}

const NO_TURNS: YieldIfDue = () => undefined;

/** Without the headers that `isLeftOut`. */
function lengthOf({ url, rawHeaders }: Head, isLeftOut = nothing): number {
  let length = url.length;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    if (!isLeftOut(name, value)) length += name.length + value.length;
  }
  return length;
}

const nothing = (_name: string, _value: string): boolean => false;

const isCookie = (name: string): boolean => name.toLowerCase() === 'cookie';

/** Only the app reads its cookies and tokens. */
const isOfLogin = (name: string, value: string): boolean =>
  isCookie(name) || (name.toLowerCase() === 'authorization' && /^Bearer /i.test(value));
