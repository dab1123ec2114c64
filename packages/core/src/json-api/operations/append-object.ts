import { appendObject as action } from '../../actions/append-object.js';
import { operation } from '../../http/operation.js';
import { query, wholeNumber } from '../../http/readers.js';
import { empty } from '../../http/responses.js';
import { writeConditions } from '../conditions.js';
import { digests } from '../digests.js';
import { objectAclHeaders } from '../grants.js';
import { storageClass, storedHeaders, written } from '../object-headers.js';

export const appendObject = operation(action, {
  route: { method: 'POST', query: ['append'] },
  // This header only requests a response header.
  ignores: ['x-svc-content-crc32c-flag'],
  input: {
    offset: query('offset', wholeNumber),
    appendId: query('appendId'),
    forbidOverwrite: writeConditions.forbidOverwrite,
    ...digests,
    ...storedHeaders,
    ...objectAclHeaders,
    storageClass,
  },
  respond: ({ size, etag, contentCrc32 }) =>
    empty(200, { ...written(etag, contentCrc32), 'x-svc-next-append-offset': String(size) }),
});
