import { putBucketLifecycle as action } from '../../actions/put-bucket-lifecycle.js';
import { operation } from '../../http/operation.js';
import { empty } from '../../http/responses.js';
import { MAX_LIFECYCLE_BODY_BYTES } from '../../limits.js';
import { jsonBody, member } from '../json-body.js';
import { readLifecycleRules } from '../lifecycle-rules.js';

export const putBucketLifecycle = operation(action, {
  route: { method: 'PUT', query: ['lifecycle'] },
  // The shortest resource takes seven bytes with its quotes and comma.
  body: jsonBody({
    maxBytes: MAX_LIFECYCLE_BODY_BYTES,
    maxStructural: Math.floor(MAX_LIFECYCLE_BODY_BYTES / 6),
    tooLarge: 'MaxMessageLengthExceeded',
  }),
  input: { rule: member('rule', readLifecycleRules, ['id', 'version']) },
  respond: () => empty(200),
});
