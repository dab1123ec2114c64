import { actions, allowed, header, operation } from '@bucketware/core/dialect';
import { S3Error } from '../errors.js';
import { empty } from '../render.js';

/** Answers a browser that asks before it sends a request from another origin. */
const preflight = (action: typeof actions.optionsObject | typeof actions.optionsBucket) =>
  operation(action as typeof actions.optionsObject, {
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

    recover({ code, message }) {
      if (code !== 'AccessDenied') return undefined;
      throw new S3Error('AccessForbidden', `CORSResponse: ${message}`, { status: 403 });
    },
  });

export const optionsObject = preflight(actions.optionsObject);
export const optionsBucket = preflight(actions.optionsBucket);
