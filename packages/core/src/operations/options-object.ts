import { matchCors } from '../engine/buckets/cors.js';
import { readSetting } from '../engine/buckets/settings.js';
import { StorageError } from '../errors.js';
import { allowed } from '../http/cors.js';
import { header, text } from '../http/fields.js';
import { operation } from '../http/operation.js';
import { empty } from '../http/render.js';

const VARY = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers';

/**
 * Answers a browser that asks before it sends a request from another origin. Nobody is asked who
 * is calling; without a rule that fits in every point nothing is allowed.
 */
const preflight = <On extends 'bucket' | 'object'>(on: On) =>
  operation({
    name: on === 'object' ? 'OptionsObject' : 'OptionsBucket',
    route: { method: 'OPTIONS', on },
    permission: 'NONE',
    takes: 'nothing',
    input: {
      origin: header('origin', text).required(),
      method: header('access-control-request-method', text).required(),
      headers: header('access-control-request-headers', text).or(''),
    },

    async run({ store, bucket, input: { origin, method, headers } }) {
      const rules = (await readSetting(store, bucket, 'cors')) ?? [];
      const asked = headers.split(',').map((name) => name.trim());
      const named = asked.filter((name) => name !== '');
      const rule = matchCors(rules, { origin, method, headers: named });
      if (rule === undefined) {
        const message = 'No CORS rule of the bucket allows this.';
        throw new StorageError('AccessDenied', message, { headers: { vary: VARY } });
      }
      return { origin, headers: named, rule };
    },

    respond({ origin, headers, rule }) {
      const answer: Record<string, string> = {
        ...allowed(origin, rule),
        'access-control-allow-methods': rule.allowedMethods.join(', '),
        vary: VARY,
      };
      if (headers.length > 0) answer['access-control-allow-headers'] = headers.join(', ');
      if (rule.maxAgeSeconds !== undefined) {
        answer['access-control-max-age'] = String(rule.maxAgeSeconds);
      }
      return empty(200, answer);
    },
  });

export const optionsObject = preflight('object');
export const optionsBucket = preflight('bucket');
