import type { CorsRule } from '../engine/records/settings.js';
import { StorageError } from '../errors.js';
import { MAX_CORS_RULES } from '../limits.js';
import { quoted } from '../quoted.js';
import type { Author } from './author.js';
import { isObject, parameter } from './parameter.js';

const METHODS = ['GET', 'PUT', 'DELETE', 'POST', 'HEAD'];
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const ORIGIN = /^[\x21-\x7e]+$/;

/** The CORS rules of a bucket, with every limit of the interface. */
export const corsRules = parameter<readonly CorsRule[]>((rules, author) => {
  if (!Array.isArray(rules) || rules.length === 0) {
    throw author.malformed('corsConfiguration must be a list of at least one rule.');
  }
  if (rules.length > MAX_CORS_RULES) {
    throw new StorageError('InvalidArgument', `A bucket has at most ${MAX_CORS_RULES} rules.`);
  }
  return rules.map((rule) => ruleOf(rule, author));
}).required();

function ruleOf(rule: unknown, author: Author): CorsRule {
  if (!isObject(rule)) throw author.malformed('A rule must be an object.');
  const { maxAgeSeconds } = rule;
  const allowedOrigins = texts(rule, author, 'allowedOrigins', { required: true });
  const allowedMethods = texts(rule, author, 'allowedMethods', { required: true });
  const allowedHeaders = texts(rule, author, 'allowedHeaders');
  const allowedExposeHeaders = texts(rule, author, 'allowedExposeHeaders');
  if (!allowedMethods.every((method) => METHODS.includes(method))) {
    throw author.malformed(`allowedMethods must be of ${METHODS.join(', ')}, in capitals.`);
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
    throw author.malformed('maxAgeSeconds must be a number.');
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
  author: Author,
  name: string,
  { required = false } = {},
): string[] {
  const value = rule[name];
  if (value === undefined && !required) return [];
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
  if (!isList || (required && value.length === 0)) {
    throw author.malformed(`${name} must be a list of texts.`);
  }
  return value;
}

function requireEach(entries: readonly string[], shape: RegExp, meaning: string): void {
  const odd = entries.find((entry) => !shape.test(entry));
  if (odd !== undefined) throw invalid(`${quoted(odd)} must be ${meaning}.`);
}

const invalid = (message: string) => new StorageError('InvalidArgument', message);
