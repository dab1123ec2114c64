import { optionsBucket as bucket, optionsObject as object } from '../../actions/preflight.js';
import { allowed } from '../../http/cors.js';
import { operation } from '../../http/operation.js';
import { header } from '../../http/readers.js';
import { empty } from '../render.js';

/** Responds to a browser that asks before it sends a request from another origin. */
const preflight = (action: typeof bucket | typeof object) =>
  operation(action as typeof object, {
    route: { method: 'OPTIONS' },
    input: {
      origin: header('origin', (text) => text) as never,
      method: header('access-control-request-method') as never,
      headers: header('access-control-request-headers'),
    },

    respond({ origin, headers, rule }) {
      const answer: Record<string, string> = {
        ...allowed(origin, rule),
        'access-control-allow-methods': rule.allowedMethods.join(', '),
      };
      if (headers.length > 0) answer['access-control-allow-headers'] = headers.join(', ');
      if (rule.maxAgeSeconds !== undefined) {
        answer['access-control-max-age'] = String(rule.maxAgeSeconds);
      }
      return empty(200, answer);
    },
  });

export const optionsObject = preflight(object);
export const optionsBucket = preflight(bucket);
