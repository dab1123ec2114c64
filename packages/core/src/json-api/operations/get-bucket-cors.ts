import { getBucketCors as action } from '../../actions/get-bucket-cors.js';
import { operation } from '../../http/operation.js';
import { json } from '../render.js';

export const getBucketCors = operation(action, {
  route: { method: 'GET', query: ['cors'] },
  input: {},
  respond: (result) => json(200, result),
});
