import { putObject as action } from '../../actions/put-object.js';
import { operation } from '../../http/operation.js';
import { notSupported } from '../../http/readers.js';
import { empty } from '../../http/responses.js';
import { writeConditions } from '../conditions.js';
import { crc32cFlag, digests } from '../digests.js';
import { objectAclHeaders } from '../grants.js';
import { storageClass, storedHeaders, written } from '../object-headers.js';

export const putObject = operation(action, {
  route: { method: 'PUT' },
  input: {
    ...storedHeaders,
    ...digests,
    ...crc32cFlag,
    checksum: notSupported,
    ...writeConditions,
    ...objectAclHeaders,
    storageClass,
    tags: notSupported,
  },
  respond: ({ etag, contentCrc32, checksum }, { input }) =>
    empty(200, written(etag, contentCrc32, input.crc32cFlag ? checksum : undefined)),
});
