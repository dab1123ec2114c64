import { headBucket as action } from '../../actions/head-bucket.js';
import { operation } from '../../http/operation.js';
import { empty } from '../../http/responses.js';

export const headBucket = operation(action, {
  route: { method: 'HEAD' },
  input: {},
  respond: () => empty(200),
});
