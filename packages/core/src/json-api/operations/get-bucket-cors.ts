import { getBucketCors as action } from '../../actions/get-bucket-cors.js';
import { operation } from '../../http/operation.js';
import { json } from '../render.js';

export const getBucketCors = operation(action, {
  route: { method: 'GET', query: ['cors'] },
  input: {},
  // Only other dialects have names of rules.
  respond: ({ corsConfiguration }) =>
    json(200, { corsConfiguration: corsConfiguration.map(({ ruleId: _, ...rule }) => rule) }),
});
