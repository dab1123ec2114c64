import { getObject as action } from '../../actions/get-object.js';
import { getConditions } from '../../http/conditions.js';
import { contentResponse } from '../../http/object-headers.js';
import { operation } from '../../http/operation.js';
import { notSupported } from '../../http/readers.js';
import { describe, responseOverrides } from '../object-headers.js';

export const getObject = operation(action, {
  route: { method: 'GET' },
  servesContent: true,
  input: { ...getConditions, partNumber: notSupported },
  responseInput: responseOverrides,
  respond: (object, { responseInput }) => contentResponse(object, describe(object, responseInput)),
});
