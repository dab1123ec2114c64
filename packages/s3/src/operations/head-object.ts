import { actions, operation, readConditions } from '@bucketware/core/dialect';
import { describe, responseOverrides, wholeChecksum } from '../object-headers.js';
import { versionId } from '../readers.js';

export const headObject = operation(actions.getObjectMeta, {
  route: { method: 'HEAD' },
  servesContent: true,
  input: readConditions,
  asked: { ...responseOverrides, ...versionId },

  respond(object, { asked }) {
    const headers = { ...describe(object, asked), ...wholeChecksum(object) };
    return {
      status: 200,
      headers: { ...headers, 'content-length': String(object.size) },
      body: '',
    };
  },
});
