import { actions, contentResponse, getConditions, operation } from '@bucketware/core/dialect';
import { checksumMode, describe, partAndChecksum, responseOverrides } from '../object-headers.js';
import { partNumber, requireOneRange, versionId } from '../readers.js';

export const getObject = operation(actions.getObject, {
  route: { method: 'GET' },
  servesContent: true,
  input: { ...getConditions, partNumber },
  asked: { ...responseOverrides, ...versionId, ...checksumMode },
  check: requireOneRange,

  respond(object, { asked }) {
    const headers = describe(object, asked);
    Object.assign(headers, partAndChecksum(object, asked, object.range));
    return contentResponse(object, headers);
  },
});
