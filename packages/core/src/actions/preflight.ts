import { matchPreflight } from '../engine/buckets/cors.js';
import { knownCorsRules } from '../engine/buckets/settings.js';
import { StorageError } from '../errors.js';
import { MAX_LISTED } from '../limits.js';
import { action } from './action.js';
import { text } from './parameters/parameter.js';

/**
 * Decides whether a page on another origin may send its next request. The caller is not identified.
 * Without a rule that matches completely, nothing is allowed.
 */
const preflight = <On extends 'bucket' | 'object'>(on: On) =>
  action({
    name: on === 'object' ? 'OptionsObject' : 'OptionsBucket',
    on,
    permission: 'NONE',
    isRead: true,
    takes: 'nothing',
    parameters: {
      origin: text.required(),
      method: text.required(),
      /** Names of headers, separated by commas. */
      headers: text.or(''),
    },

    async run(call) {
      const { store, bucket, input } = call;
      const { origin, method, headers } = input;
      const rules = await knownCorsRules(store, bucket, () => call.signal());
      const requested = headers.split(',', MAX_LISTED + 1).map((name) => name.trim());
      if (requested.length > MAX_LISTED) {
        throw new StorageError('InvalidArgument', `A request may announce ${MAX_LISTED} headers.`);
      }
      const named = requested.filter((name) => name !== '');
      const request = { origin, method, headers: named };
      const rule = await matchPreflight(call, rules, request);
      if (rule === undefined) {
        throw new StorageError('AccessDenied', 'No CORS rule of the bucket allows this.');
      }
      return { origin, headers: named, rule };
    },
  });

export const optionsObject = preflight('object');
export const optionsBucket = preflight('bucket');
