import { getObject as action } from '../../actions/get-object.js';
import { getConditions } from '../../http/conditions.js';
import { contentResponse } from '../../http/object-headers.js';
import { operation } from '../../http/operation.js';
import { unspoken } from '../../http/readers.js';
import { describe, responseOverrides } from '../object-headers.js';

export const getObject = operation(action, {
  route: { method: 'GET' },
  servesContent: true,
  input: { ...getConditions, partNumber: unspoken },
  asked: responseOverrides,
  respond: (object, { asked }) => contentResponse(object, describe(object, asked)),
});
