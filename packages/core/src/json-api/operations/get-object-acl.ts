import { getObjectAcl as action } from '../../actions/get-object-acl.js';
import { operation } from '../../http/operation.js';
import { json } from '../render.js';

export const getObjectAcl = operation(action, {
  route: { method: 'GET', query: ['acl'] },
  input: {},
  respond: (result) => json(200, result),
});
