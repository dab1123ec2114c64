import {
  actions,
  empty,
  notSupported,
  operation,
  removeConditions,
} from '@bucketware/core/dialect';
import { versionId } from '../readers.js';

export const deleteObject = operation(actions.deleteObject, {
  route: { method: 'DELETE' },
  input: { ...removeConditions, ifLastModified: notSupported },
  responseInput: versionId,
  respond: () => empty(204),

  /** Deleting a missing object succeeds, unless there is a condition. */
  recover({ code }, { input: { ifMatch, ifUnmodifiedSince } }) {
    const isConditional = ifMatch !== undefined || ifUnmodifiedSince !== undefined;
    return code === 'NoSuchKey' && !isConditional ? empty(204) : undefined;
  },
});
