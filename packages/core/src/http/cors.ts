import type { Bucket } from '../engine/buckets/buckets.js';
import { isForEveryOrigin, matchCors } from '../engine/buckets/cors.js';
import { knownCorsRules } from '../engine/buckets/settings.js';
import type { SignalOf } from '../engine/concurrency/when-aborted.js';
import type { CorsRule } from '../engine/records/settings.js';
import type { Store } from '../engine/store.js';
import type { RequestHeaders } from './headers.js';

type Headers = Readonly<Record<string, string>>;

/** What the CORS rules of a bucket say about an actual request. */
export interface CrossOrigin {
  /** Added to the response's own headers, including errors. */
  readonly headers: Headers;
  /** The rule that lets pages of this origin send this request and read its response. */
  readonly rule: CorsRule | undefined;
}

export const NO_RULES: CrossOrigin = { headers: {}, rule: undefined };
/** What the response to a preflight depends on. */
const PREFLIGHT: CrossOrigin = {
  headers: { vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers' },
  rule: undefined,
};
const NO_MATCH: CrossOrigin = { headers: { vary: 'Origin' }, rule: undefined };

/** The part of a request that the CORS rules are about. */
interface Asked {
  readonly method: string;
  readonly headers: RequestHeaders;
  readonly signal?: SignalOf;
}

/** Caches must keep origins apart as soon as a bucket has rules, whether one matches or not. */
export function crossOrigin(
  store: Store,
  bucket: Bucket | undefined,
  { method, headers, signal }: Asked,
  listsMethods = false,
): Promise<CrossOrigin> | CrossOrigin {
  if (bucket !== undefined && method === 'OPTIONS') return PREFLIGHT;
  if (!bucket?.record.settings.includes('cors')) return NO_RULES;
  const origin = headers.get('origin');
  if (origin === undefined) return NO_MATCH;
  return match(store, bucket, { origin, method, signal }, listsMethods);
}

async function match(
  store: Store,
  bucket: Bucket,
  { origin, method, signal }: { origin: string; method: string; signal: SignalOf | undefined },
  listsMethods: boolean,
): Promise<CrossOrigin> {
  const rules = await knownCorsRules(store, bucket, signal);
  const rule = matchCors(rules, { origin, method, headers: [] });
  if (rule === undefined) return NO_MATCH;
  const methods = listsMethods ? allowedMethods(rule) : {};
  return { headers: { ...NO_MATCH.headers, ...allowed(origin, rule), ...methods }, rule };
}

/**
 * The headers that let a page of this origin read a response. They allow credentials when the rule
 * names the host; a rule for every host never does.
 */
export function allowed(origin: string, rule: CorsRule): Headers {
  const { allowedOrigins, allowedExposeHeaders = [] } = rule;
  const isForEvery = isForEveryOrigin(rule, origin);
  const isBare = isForEvery && allowedOrigins.includes('*');
  return {
    'access-control-allow-origin': isBare ? '*' : origin,
    ...(isForEvery ? undefined : { 'access-control-allow-credentials': 'true' }),
    ...(allowedExposeHeaders.length > 0
      ? { 'access-control-expose-headers': allowedExposeHeaders.join(', ') }
      : undefined),
  };
}

export const allowedMethods = (rule: CorsRule): Headers => ({
  'access-control-allow-methods': rule.allowedMethods.join(', '),
});
