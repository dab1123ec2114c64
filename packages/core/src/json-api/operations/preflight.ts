import { optionsBucket as bucket, optionsObject as object } from '../../actions/preflight.js';
import { operation } from '../../http/operation.js';
import { preflightHeaders, preflightInput } from '../../http/preflight.js';
import { empty } from '../../http/responses.js';

/** Responds to the preflight request of a browser before a request from another origin. */
const preflight = (action: typeof bucket | typeof object) =>
  operation(action as typeof object, {
    route: { method: 'OPTIONS' },
    input: preflightInput,
    respond: (allowed) => empty(200, preflightHeaders(allowed)),
  });

export const optionsObject = preflight(object);
export const optionsBucket = preflight(bucket);
