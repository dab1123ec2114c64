import { getObject as action } from '../../actions/get-object.js';
import { contentOf, recordOf } from '../../actions/stored-object.js';
import { readConditions } from '../../http/conditions.js';
import { parseHttpDate } from '../../http/dates.js';
import { operation } from '../../http/operation.js';
import { header } from '../../http/readers.js';
import { describe, responseOverrides } from '../object-headers.js';

/** An ETag, or a date (RFC 9110 section 13.1.5). */
function entityOrDate(text: string): string | Date {
  const time = parseHttpDate(text);
  return time === undefined ? text : new Date(time);
}

export const getObject = operation(action, {
  route: { method: 'GET' },
  servesContent: true,
  input: { range: header('range'), ifRange: header('if-range', entityOrDate), ...readConditions },
  asked: responseOverrides,

  respond(object, { asked }) {
    const { range } = object;
    const { size } = recordOf(object);
    const { start, end } = range ?? { start: 0, end: size };
    const headers = describe(object, asked);
    headers['content-length'] = String(end - start);
    if (range) headers['content-range'] = `bytes ${start}-${end - 1}/${size}`;
    return { status: range ? 206 : 200, headers, body: contentOf(object) };
  },
});
