import { actions, operation } from '@bucketware/core/dialect';
import { removeConditions } from '../conditions.js';
import { versionId } from '../readers.js';
import { empty } from '../render.js';

export const deleteObject = operation(actions.deleteObject, {
  route: { method: 'DELETE' },
  input: removeConditions,
  asked: versionId,
  respond: () => empty(204),

  /** What is not there needs no deletion; but a condition was about something. */
  recover({ code }, { input: { ifMatch, ifUnmodifiedSince } }) {
    const isConditional = ifMatch !== undefined || ifUnmodifiedSince !== undefined;
    return code === 'NoSuchKey' && !isConditional ? empty(204) : undefined;
  },
});
