import { actions, contentResponse, getConditions, operation } from '@bucketware/core/dialect';
import { checksumMode, describe, partAndChecksum, responseOverrides } from '../object-headers.js';
import { partNumber, requireOneRange, versionId } from '../readers.js';

export const getObject = operation(actions.getObject, {
  route: { method: 'GET' },
  servesContent: true,
  input: { ...getConditions, partNumber },
  responseInput: { ...responseOverrides, ...versionId, ...checksumMode },
  check: requireOneRange,

  respond(object, { responseInput }) {
    const headers = describe(object, responseInput);
    Object.assign(headers, partAndChecksum(object, responseInput, object.range));
    return contentResponse(object, headers);
  },
});
