import { actions, contentResponse, getConditions, operation } from '@bucketware/core/dialect';
import { describe, responseOverrides, wholeChecksum } from '../object-headers.js';
import { versionId } from '../readers.js';

export const getObject = operation(actions.getObject, {
  route: { method: 'GET' },
  servesContent: true,
  input: getConditions,
  asked: { ...responseOverrides, ...versionId },

  respond(object, { asked }) {
    const headers = describe(object, asked);
    if (object.range === undefined) Object.assign(headers, wholeChecksum(object));
    return contentResponse(object, headers);
  },
});
