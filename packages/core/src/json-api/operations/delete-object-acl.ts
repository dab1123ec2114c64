import { deleteObjectAcl as action } from '../../actions/delete-object-acl.js';
import { operation } from '../../http/operation.js';
import { empty } from '../../http/responses.js';

export const deleteObjectAcl = operation(action, {
  route: { method: 'DELETE', query: ['acl'] },
  input: {},
  respond: () => empty(204),
});
