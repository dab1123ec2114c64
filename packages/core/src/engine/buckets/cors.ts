import { callerId } from '../concurrency/caller-id.js';
import { nextTurn } from '../concurrency/yielder.js';
import type { CorsRule } from '../records/settings.js';
import type { Store } from '../store.js';
import { matchesWildcard } from '../wildcard.js';
import type { Bucket } from './buckets.js';

export interface CorsRequest {
  readonly origin: string;
  readonly method: string;
  /** As the client wrote them. Empty for actual requests. */
  readonly headers: readonly string[];
}

/** No real client requests more. Preflights with more are rejected. */
const MAX_HEADERS = 100;

/** Comparing so many patterns with so many names takes well below a millisecond. */
const MANY_COMPARISONS = 10_000;

/**
 * The first rule that matches a preflight. Anyone may send one, and with the largest rules, it takes
 * some milliseconds. Such rules of one owner are compared one at a time, with pauses for others.
 */
export async function matchPreflight(
  call: { readonly store: Store; readonly bucket: Bucket; signal(): AbortSignal | undefined },
  rules: readonly CorsRule[],
  request: CorsRequest,
): Promise<CorsRule | undefined> {
  const patterns = rules.reduce((sum, { allowedHeaders = [] }) => sum + allowedHeaders.length, 0);
  if (patterns * request.headers.length < MANY_COMPARISONS) return matchCors(rules, request);
  const { store, bucket } = call;
  return store.preflightLimit.run(callerId(bucket.record.owner), async () => {
    call.signal()?.throwIfAborted(); // The client may have disconnected during the wait.
    await nextTurn();
    return matchCors(rules, request);
  });
}

/** The first rule that matches completely. */
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
 * Whether each name matches one of the patterns. Anyone may send a preflight, and there may be
 * thousands of patterns: each is tried once, and only with names that no earlier one matched.
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
 * Whether the rule matches this origin only because it matches every host: then it does not allow
 * credentials.
 */
export const isForEveryOrigin = ({ allowedOrigins }: CorsRule, origin: string): boolean =>
  !allowedOrigins.some((pattern) => namesHost(pattern) && matchesOrigin(pattern, origin));

/**
 * Whether a pattern restricts the host. Anyone can have a frame whose origin is `null`, listen on
 * any port, and register `app.example.net` or `evil-example.com`. So the host must be complete, or
 * end with a dot and a domain: `https://*.example.com` restricts it; `*`, `https://*:8443`,
 * `https://app*`, `https://*example.com` and `https://app.*.com` do not.
 */
function namesHost(pattern: string): boolean {
  const star = pattern.indexOf('*');
  if (pattern === 'null') return false;
  if (star < 0 || /^[a-z]+:\/\/[^*/]+:/i.test(pattern)) return true;
  const rest = pattern.slice(star + 1);
  if (rest.startsWith('://')) return rest.length > '://'.length;
  const [before, ...labels] = rest.replace(/:\d*$/, '').split('.');
  const domain = labels.filter((label) => label !== '');
  return before === '' && (domain.length > 1 || UNREGISTRABLE.has(domain[0] ?? ''));
}

/** Top-level domains below which nobody can register a name (RFC 6761, RFC 6762, ICANN). */
const UNREGISTRABLE: ReadonlySet<string> = new Set([
  'example',
  'internal',
  'invalid',
  'local',
  'localhost',
  'test',
]);

/**
 * `null` is the origin of pages without an origin: files, sandboxed frames. As anyone could have
 * it, only the entry `null` and the bare `*` match it.
 */
function matchesOrigin(pattern: string, origin: string): boolean {
  if (origin === 'null') return pattern === origin || pattern === '*';
  return matchesWildcard(pattern, origin);
}

/** Header names ignore case in ASCII only; the Kelvin sign is not a `k`. */
const asciiLower = (text: string): string =>
  isAscii(text) ? text.toLowerCase() : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);
