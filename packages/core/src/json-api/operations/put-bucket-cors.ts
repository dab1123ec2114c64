import { putBucketCors as action } from '../../actions/put-bucket-cors.js';
import { operation } from '../../http/operation.js';
import { empty } from '../../http/responses.js';
import { MAX_SETTINGS_BODY_BYTES } from '../../limits.js';
import { jsonBody, member } from '../json-body.js';

export const putBucketCors = operation(action, {
  route: { method: 'PUT', query: ['cors'] },
  body: jsonBody({ maxBytes: MAX_SETTINGS_BODY_BYTES, tooLarge: 'EntityTooLarge' }),
  // The action uses the interface's form of rules.
  input: { corsConfiguration: member('corsConfiguration') },
  respond: () => empty(200),
});
