import { getBucketAcl as action } from '../../actions/get-bucket-acl.js';
import { operation } from '../../http/operation.js';
import { json } from '../render.js';

export const getBucketAcl = operation(action, {
  route: { method: 'GET', query: ['acl'] },
  input: {},
  respond: (result) => json(200, result),
});
