import { getBucketLocation as action } from '../../actions/get-bucket-location.js';
import { operation } from '../../http/operation.js';
import { json } from '../render.js';

export const getBucketLocation = operation(action, {
  route: { method: 'GET', query: ['location'] },
  input: {},
  respond: (result) => json(200, result),
});
