import { actions, operation, readConditions, recordOf } from '@bucketware/core/dialect';
import { describe, responseOverrides, wholeChecksum } from '../object-headers.js';
import { versionId } from '../readers.js';

export const headObject = operation(actions.getObjectMeta, {
  route: { method: 'HEAD' },
  servesContent: true,
  input: readConditions,
  asked: { ...responseOverrides, ...versionId },

  respond(object, { asked: { versionId: _, ...asked } }) {
    const headers = describe(object, asked);
    headers['content-length'] = String(recordOf(object).size);
    return { status: 200, headers: { ...headers, ...wholeChecksum(object) }, body: '' };
  },
});
