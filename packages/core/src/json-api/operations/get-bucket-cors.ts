import { getBucketCors as action } from '../../actions/get-bucket-cors.js';
import { operation } from '../../http/operation.js';
import { json } from '../render.js';

export const getBucketCors = operation(action, {
  route: { method: 'GET', query: ['cors'] },
  input: {},
  // Names of rules exist only in other dialects.
  respond: ({ corsConfiguration }) =>
    json(200, { corsConfiguration: corsConfiguration.map(({ ruleId: _, ...rule }) => rule) }),
});
