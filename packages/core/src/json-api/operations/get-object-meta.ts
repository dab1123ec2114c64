import { getObjectMeta as action } from '../../actions/get-object-meta.js';
import { readConditions } from '../../http/conditions.js';
import { operation } from '../../http/operation.js';
import { notSupported } from '../../http/readers.js';
import { describe, responseOverrides } from '../object-headers.js';

/** The headers of GetObject without the body. */
export const getObjectMeta = operation(action, {
  route: { method: 'HEAD' },
  servesContent: true,
  input: { ...readConditions, partNumber: notSupported },
  responseInput: responseOverrides,

  respond(object, { responseInput }) {
    const headers = { ...describe(object, responseInput), 'content-length': String(object.size) };
    return { status: 200, headers, body: '' };
  },
});
