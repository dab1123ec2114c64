import { actions, operation, readConditions } from '@bucketware/core/dialect';
import { checksumMode, describe, partAndChecksum, responseOverrides } from '../object-headers.js';
import { partNumber, versionId } from '../readers.js';

export const headObject = operation(actions.getObjectMeta, {
  route: { method: 'HEAD' },
  servesContent: true,
  input: { ...readConditions, partNumber },
  responseInput: { ...responseOverrides, ...versionId, ...checksumMode },

  respond(object, { responseInput }) {
    const { range, size } = object;
    const { start, end } = range ?? { start: 0, end: size };
    const headers = {
      ...describe(object, responseInput),
      ...partAndChecksum(object, responseInput, range),
    };
    headers['content-length'] = String(end - start);
    if (range) headers['content-range'] = `bytes ${start}-${end - 1}/${size}`;
    return { status: range ? 206 : 200, headers, body: '' };
  },
});
