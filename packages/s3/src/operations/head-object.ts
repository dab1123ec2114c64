import { actions, operation, readConditions } from '@bucketware/core/dialect';
import { checksumMode, describe, partAndChecksum, responseOverrides } from '../object-headers.js';
import { partNumber, versionId } from '../readers.js';

export const headObject = operation(actions.getObjectMeta, {
  route: { method: 'HEAD' },
  servesContent: true,
  input: { ...readConditions, partNumber },
  asked: { ...responseOverrides, ...versionId, ...checksumMode },

  respond(object, { asked }) {
    const { range, size } = object;
    const { start, end } = range ?? { start: 0, end: size };
    const headers = { ...describe(object, asked), ...partAndChecksum(object, asked, range) };
    headers['content-length'] = String(end - start);
    if (range) headers['content-range'] = `bytes ${start}-${end - 1}/${size}`;
    return { status: range ? 206 : 200, headers, body: '' };
  },
});
