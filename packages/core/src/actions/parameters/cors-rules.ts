import * as v from 'valibot';
import type { CorsRule } from '../../engine/records/settings.js';
import { MAX_CORS_RULES } from '../../limits.js';
import { isText } from './parameter.js';
import { each, list, members, objectWithout, someTexts, structure, texts } from './schema.js';

export type { CorsRule };

const METHODS = ['GET', 'PUT', 'DELETE', 'POST', 'HEAD'];
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const ORIGIN = /^[\x21-\x7e]+$/;

const headerNames = each((name) => TOKEN.test(name), 'must be a header name');
const oneStar = each((entry) => entry.split('*').length <= 2, 'must have at most one *');
const noStar = each((entry) => !entry.includes('*'), 'must have no wildcard');

const rule = v.pipe(
  objectWithout(() => undefined),
  members({
    ruleId: v.optional(
      v.pipe(
        v.custom<string>(isText, 'must be a string'),
        v.maxLength(255, 'must have at most 255 characters'),
      ),
    ),
    allowedOrigins: v.pipe(
      someTexts('must be a list of at least one origin'),
      each((origin) => ORIGIN.test(origin), 'must be an origin without spaces'),
      oneStar,
    ),
    allowedMethods: someTexts(
      `must be a list of at least one of ${METHODS.join(', ')}, in capitals`,
      (method) => METHODS.includes(method),
    ),
    allowedHeaders: v.optional(
      v.pipe(texts('must be a list of header names'), headerNames, oneStar),
    ),
    allowedExposeHeaders: v.optional(
      v.pipe(texts('must be a list of header names'), headerNames, noStar),
    ),
    maxAgeSeconds: v.optional(
      v.pipe(
        v.number('must be a number'),
        v.check(
          (age) => Number.isSafeInteger(age) && age >= 0,
          'must be a whole number, 0 or more',
        ),
      ),
    ),
  }),
);

/** The CORS rules of a bucket. */
export const corsRules = structure<readonly CorsRule[]>(
  list(rule, 'must be a list of at least one rule', { most: MAX_CORS_RULES }),
).required();
