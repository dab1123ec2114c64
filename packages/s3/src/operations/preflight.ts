import {
  actions,
  empty,
  operation,
  preflightHeaders,
  preflightInput,
} from '@bucketware/core/dialect';
import { S3Error } from '../errors.js';

/** Responds to the preflight request of a browser before a request from another origin. */
const preflight = (action: typeof actions.optionsObject | typeof actions.optionsBucket) =>
  operation(action as typeof actions.optionsObject, {
    route: { method: 'OPTIONS' },
    input: preflightInput,
    respond: (allowed) => empty(200, preflightHeaders(allowed)),
    recover({ code, message }) {
      if (code !== 'AccessDenied') return undefined;
      throw new S3Error('AccessForbidden', `CORSResponse: ${message}`, { status: 403 });
    },
  });

export const optionsObject = preflight(actions.optionsObject);
export const optionsBucket = preflight(actions.optionsBucket);
