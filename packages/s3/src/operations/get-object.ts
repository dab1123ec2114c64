import {
  actions,
  contentOf,
  header,
  operation,
  parseHttpDate,
  readConditions,
  recordOf,
} from '@bucketware/core/dialect';
import { describe, responseOverrides, wholeChecksum } from '../object-headers.js';
import { versionId } from '../readers.js';

/** An ETag, or a date (RFC 9110 section 13.1.5). */
function entityOrDate(text: string): string | Date {
  const time = parseHttpDate(text);
  return time === undefined ? text : new Date(time);
}

export const getObject = operation(actions.getObject, {
  route: { method: 'GET' },
  servesContent: true,
  input: { range: header('range'), ifRange: header('if-range', entityOrDate), ...readConditions },
  asked: { ...responseOverrides, ...versionId },

  respond(object, { asked: { versionId: _, ...asked } }) {
    const { range } = object;
    const { size } = recordOf(object);
    const { start, end } = range ?? { start: 0, end: size };
    const headers = describe(object, asked);
    headers['content-length'] = String(end - start);
    if (range) headers['content-range'] = `bytes ${start}-${end - 1}/${size}`;
    else Object.assign(headers, wholeChecksum(object));
    return { status: range ? 206 : 200, headers, body: contentOf(object) };
  },
});
