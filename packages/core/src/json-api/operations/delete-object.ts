import { deleteObject as action } from '../../actions/delete-object.js';
import { operation } from '../../http/operation.js';
import { removeConditions } from '../conditions.js';
import { empty } from '../render.js';

export const deleteObject = operation(action, {
  route: { method: 'DELETE' },
  input: removeConditions,
  respond: () => empty(204),
});
