import { getBucketLifecycle as action } from '../../actions/get-bucket-lifecycle.js';
import { operation } from '../../http/operation.js';
import { json } from '../render.js';

export const getBucketLifecycle = operation(action, {
  route: { method: 'GET', query: ['lifecycle'] },
  input: {},
  respond: (result) => json(200, result),
});
