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
  if (lengthOf(head) <= MAX_HEAD || lengthOf(head, whatOnlyTheAppReads(head)) <= MAX_HEAD) return;
  throw new StorageError('InvalidHTTPRequest', TOO_LONG);
}

/**
 * The turns in which a long head is read and its signature verified, so that many of them do not
 * block other requests. A turn rejects when the client has left. Throws ServiceUnavailable when too
 * many are waiting.
 */
export function turnsForHead(request: StorageRequest): YieldIfDue {
  if (lengthOf(request) < LONG) return NO_TURNS;
  if (lengthOf(request, whatOnlyTheAppReads(request)) < LONG) return NO_TURNS;
  const isGone = () => request.isGone?.() === true;
  const yieldIfDue = createHeadYielder(isGone);
  return () =>
    yieldIfDue()?.then(() => {
      if (isGone()) throw clientGone();
    });
}

const NO_TURNS: YieldIfDue = () => undefined;

type IsLeftOut = (name: string, value: string) => boolean;

/** Without the headers that `isLeftOut`. */
function lengthOf({ url, rawHeaders }: Head, isLeftOut: IsLeftOut = NONE): number {
  let length = url.length;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    if (!isLeftOut(name, value)) length += name.length + value.length;
  }
  return length;
}

const NONE: IsLeftOut = () => false;

/** Cookies and tokens of the app's login, which may be long, unless a signature may cover them. */
function whatOnlyTheAppReads({ url, rawHeaders }: Head): IsLeftOut {
  const query = url.indexOf('?');
  if (query >= 0 && url.length - query > SHORTEST_SIGNATURE) return NONE;
  const isSigned = rawHeaders.some(
    (name, at) => at % 2 === 0 && isAuthorization(name) && !isToken(rawHeaders[at + 1] ?? ''),
  );
  return isSigned ? NONE : isOfLogin;
}

/** That of SHA-256 in hexadecimal digits. */
const SHORTEST_SIGNATURE = 64;

const isAuthorization = (name: string): boolean => name.toLowerCase() === 'authorization';

const isToken = (value: string): boolean => /^Bearer /i.test(value);

const isOfLogin: IsLeftOut = (name) => isAuthorization(name) || name.toLowerCase() === 'cookie';
