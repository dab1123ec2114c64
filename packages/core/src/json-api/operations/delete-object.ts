import { deleteObject as action } from '../../actions/delete-object.js';
import { removeConditions } from '../../http/conditions.js';
import { operation } from '../../http/operation.js';
import { notSupported } from '../../http/readers.js';
import { empty } from '../../http/responses.js';

export const deleteObject = operation(action, {
  route: { method: 'DELETE' },
  input: { ...removeConditions, ifLastModified: notSupported },
  respond: () => empty(204),
});
