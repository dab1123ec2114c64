import { getObjectMeta as action } from '../../actions/get-object-meta.js';
import { readConditions } from '../../http/conditions.js';
import { operation } from '../../http/operation.js';
import { unspoken } from '../../http/readers.js';
import { describe, responseOverrides } from '../object-headers.js';

/** The headers of GetObject without the body. */
export const getObjectMeta = operation(action, {
  route: { method: 'HEAD' },
  servesContent: true,
  input: { ...readConditions, partNumber: unspoken },
  asked: responseOverrides,

  respond(object, { asked }) {
    const headers = { ...describe(object, asked), 'content-length': String(object.size) };
    return { status: 200, headers, body: '' };
  },
});
