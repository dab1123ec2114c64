import type { Bucket } from '../engine/buckets/buckets.js';
import { type CorsRule, isForEveryOrigin, matchCors } from '../engine/buckets/cors.js';
import { readSetting } from '../engine/buckets/settings.js';
import type { Store } from '../engine/store.js';
import { StorageError } from '../errors.js';
import { MAX_CORS_RULES } from '../limits.js';
import { isObject, json } from './fields.js';
import type { RequestHeaders } from './headers.js';
import { quoted } from './quoted.js';

type Headers = Readonly<Record<string, string>>;

/** What the CORS rules of a bucket say about an actual request. */
export interface CrossOrigin {
  /** Besides the answer's own, errors included. */
  readonly headers: Headers;
  /** The rule that lets pages of this origin send this request and read its answer. */
  readonly rule: CorsRule | undefined;
}

const NO_RULES: CrossOrigin = { headers: {}, rule: undefined };
const NO_MATCH: CrossOrigin = { headers: { vary: 'Origin' }, rule: undefined };

/** Caches must tell origins apart as soon as a bucket has rules, whether one fits or not. */
export async function crossOrigin(
  store: Store,
  bucket: Bucket | undefined,
  method: string,
  headers: RequestHeaders,
): Promise<CrossOrigin> {
  if (!bucket?.record.settings.includes('cors')) return NO_RULES;
  const origin = headers.get('origin');
  if (origin === undefined || method === 'OPTIONS') return NO_MATCH;
  const rules = (await readSetting(store, bucket, 'cors')) ?? [];
  const rule = matchCors(rules, { origin, method, headers: [] });
  if (rule === undefined) return NO_MATCH;
  return { headers: { ...NO_MATCH.headers, ...allowed(origin, rule) }, rule };
}

/**
 * The headers that let a browser of this origin read an answer. It may send credentials when the
 * rule names its host; a rule for every host lets nobody's cookies in.
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

const METHODS = ['GET', 'PUT', 'DELETE', 'POST', 'HEAD'];
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const ORIGIN = /^[\x21-\x7e]+$/;

/** `corsConfiguration` of a body, with every limit of the interface. */
export const corsRules = json<readonly CorsRule[], readonly CorsRule[]>(
  'corsConfiguration',
  (rules) => {
    if (!Array.isArray(rules) || rules.length === 0) {
      throw inappropriate('corsConfiguration must be a list of at least one rule.');
    }
    if (rules.length > MAX_CORS_RULES) {
      throw new StorageError('InvalidArgument', `A bucket has at most ${MAX_CORS_RULES} rules.`);
    }
    return rules.map(ruleOf);
  },
);

function ruleOf(rule: unknown): CorsRule {
  if (!isObject(rule)) throw inappropriate('A rule must be an object.');
  const { maxAgeSeconds } = rule;
  const allowedOrigins = texts(rule, 'allowedOrigins', { required: true });
  const allowedMethods = texts(rule, 'allowedMethods', { required: true });
  const allowedHeaders = texts(rule, 'allowedHeaders');
  const allowedExposeHeaders = texts(rule, 'allowedExposeHeaders');
  if (!allowedMethods.every((method) => METHODS.includes(method))) {
    throw inappropriate(`allowedMethods must be of ${METHODS.join(', ')}, in capitals.`);
  }
  requireEach(allowedOrigins, ORIGIN, 'an origin without blanks');
  requireEach(allowedHeaders, TOKEN, 'a header name');
  requireEach(allowedExposeHeaders, TOKEN, 'a header name');
  for (const entry of [...allowedOrigins, ...allowedHeaders]) {
    if (entry.split('*').length > 2) throw invalid(`${quoted(entry)} has more than one *.`);
  }
  if (allowedExposeHeaders.some((entry) => entry.includes('*'))) {
    throw invalid('allowedExposeHeaders has no wildcard.');
  }
  const hasAge = maxAgeSeconds !== undefined;
  if (hasAge && typeof maxAgeSeconds !== 'number') {
    throw inappropriate('maxAgeSeconds must be a number.');
  }
  if (hasAge && !(Number.isSafeInteger(maxAgeSeconds) && maxAgeSeconds >= 0)) {
    throw invalid('maxAgeSeconds must be a whole number of 0 or more.');
  }
  return {
    allowedOrigins,
    allowedMethods,
    ...(rule.allowedHeaders === undefined ? undefined : { allowedHeaders }),
    ...(rule.allowedExposeHeaders === undefined ? undefined : { allowedExposeHeaders }),
    ...(hasAge ? { maxAgeSeconds } : undefined),
  };
}

function texts(
  rule: Readonly<Record<string, unknown>>,
  name: string,
  { required = false } = {},
): string[] {
  const value = rule[name];
  if (value === undefined && !required) return [];
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
  if (!isList || (required && value.length === 0)) {
    throw inappropriate(`${name} must be a list of texts.`);
  }
  return value;
}

function requireEach(entries: readonly string[], shape: RegExp, meaning: string): void {
  const odd = entries.find((entry) => !shape.test(entry));
  if (odd !== undefined) throw invalid(`${quoted(odd)} must be ${meaning}.`);
}

const inappropriate = (message: string) => new StorageError('InappropriateJSON', message);
const invalid = (message: string) => new StorageError('InvalidArgument', message);
