import type { CorsRule } from '../records/settings.js';
import { matchesWildcard } from '../wildcard.js';

export interface CorsRequest {
  readonly origin: string;
  readonly method: string;
  /** As the client wrote them. Empty on actual requests. */
  readonly headers: readonly string[];
}

/** Nobody asks for more; who does is told no, so that asking costs little. */
const MAX_HEADERS = 100;

/** The first rule that fits in every point, from top to bottom. */
export function matchCors(
  rules: readonly CorsRule[],
  { origin, method, headers }: CorsRequest,
): CorsRule | undefined {
  const names = new Set(headers.map(asciiLower));
  if (names.size > MAX_HEADERS) return undefined;
  return rules.find(({ allowedOrigins, allowedMethods, allowedHeaders = [] }) => {
    const fits =
      allowedMethods.includes(method) &&
      allowedOrigins.some((pattern) => matchesOrigin(pattern, origin));
    return fits && matchesEach(allowedHeaders, names);
  });
}

/**
 * Whether each name fits one of the patterns. Anybody may ask, and there may be thousands of
 * patterns: each is looked at once, and only with what none before it fits.
 */
function matchesEach(patterns: readonly string[], names: ReadonlySet<string>): boolean {
  const left = new Set(names);
  for (const written of patterns) {
    if (left.size === 0) return true;
    const pattern = asciiLower(written);
    const star = pattern.indexOf('*');
    if (star < 0) {
      left.delete(pattern);
      continue;
    }
    const [head, tail] = [pattern.slice(0, star), pattern.slice(star + 1)];
    for (const name of left) {
      const fits = name.length >= head.length + tail.length;
      if (fits && name.startsWith(head) && name.endsWith(tail)) left.delete(name);
    }
  }
  return left.size === 0;
}

/**
 * Whether the rule is for this origin only because it is for every host: then it says nothing of
 * credentials.
 */
export const isForEveryOrigin = ({ allowedOrigins }: CorsRule, origin: string): boolean =>
  !allowedOrigins.some((pattern) => namesHost(pattern) && matchesOrigin(pattern, origin));

/**
 * Anybody can have a frame whose origin is `null`, and a host that begins as a pattern does. So what
 * stands behind the `*` of the host decides: `https://*.example.com` names hosts; `*`, `https://*`
 * and `https://app*` name none.
 */
function namesHost(pattern: string): boolean {
  const star = pattern.indexOf('*');
  if (pattern === 'null') return false;
  if (star < 0 || /^[a-z]+:\/\/[^*/]+:/i.test(pattern)) return true;
  return pattern.slice(star + 1).replace(/^(:\/\/)?|:\d*$/g, '') !== '';
}

/**
 * `null` is the origin of pages that have none: files, sandboxed frames. As it could be anybody's,
 * only its own name and the bare `*` are for it.
 */
function matchesOrigin(pattern: string, origin: string): boolean {
  if (origin === 'null') return pattern === origin || pattern === '*';
  return matchesWildcard(pattern, origin);
}

/** Header names fold case in ASCII only; the Kelvin sign is no `k`. */
const asciiLower = (text: string): string =>
  isAscii(text) ? text.toLowerCase() : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);
