import { putBucket as action } from '../../actions/put-bucket.js';
import { operation } from '../../http/operation.js';
import { notSupported } from '../../http/readers.js';
import { empty } from '../../http/responses.js';
import { MAX_SETTINGS_BODY_BYTES } from '../../limits.js';
import { bucketAclHeader } from '../grants.js';
import { jsonBody } from '../json-body.js';

export const putBucket = operation(action, {
  route: { method: 'PUT' },
  // JavaScript clients always send location settings, which have no meaning here.
  body: jsonBody({
    maxBytes: MAX_SETTINGS_BODY_BYTES,
    optional: true,
    tooLarge: 'MaxMessageLengthExceeded',
  }),
  input: {
    ...bucketAclHeader,
    accessControlList: notSupported,
    tags: notSupported,
    objectOwnership: notSupported,
  },
  respond: (_, { bucketName }) => empty(200, { location: `/${bucketName}` }),
});
