import { renameObject as action } from '../../actions/rename-object.js';
import { operation } from '../../http/operation.js';
import { empty } from '../../http/responses.js';
import { writeConditions } from '../conditions.js';
import { renameSource } from '../sources.js';

export const renameObject = operation(action, {
  route: { method: 'POST', headers: ['x-svc-rename-key'] },
  input: { ...renameSource, ...writeConditions },
  respond: () => empty(200),
});
