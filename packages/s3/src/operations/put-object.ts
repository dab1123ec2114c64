import {
  actions,
  empty,
  mixed,
  notSupported,
  operation,
  removeConditions,
} from '@bucketware/core/dialect';
import { noSuchObject } from '../conditions.js';
import { digests, written } from '../digests.js';
import { expirationHeader, shownChecksum, storageClass, storedHeaders } from '../object-headers.js';
import { objectAclHeaders } from '../settings/grants.js';
import { taggingHeader } from '../settings/tags.js';

export const putObject = operation(actions.putObject, {
  route: { method: 'PUT' },
  input: {
    ...storedHeaders,
    ...digests,
    ...removeConditions,
    ...objectAclHeaders,
    forbidOverwrite: notSupported,
    storageClass,
    ...taggingHeader,
  },
  respond(object) {
    const headers = written(object.etag, shownChecksum(object));
    return empty(200, mixed(headers, expirationHeader(object)));
  },
  recover: noSuchObject,
});
