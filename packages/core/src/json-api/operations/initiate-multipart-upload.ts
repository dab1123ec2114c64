import { initiateMultipartUpload as action } from '../../actions/initiate-multipart-upload.js';
import { operation } from '../../http/operation.js';
import { notSupported } from '../../http/readers.js';
import { objectAclHeaders } from '../grants.js';
import { storageClass, storedHeaders } from '../object-headers.js';
import { json } from '../render.js';

export const initiateMultipartUpload = operation(action, {
  route: { method: 'POST', query: ['uploads'] },
  // Clients send these for an upload whose parts will be copied. Each copy names its own source.
  ignores: ['x-svc-copy-source'],
  input: {
    ...storedHeaders,
    ...objectAclHeaders,
    storageClass,
    ...{ tags: notSupported, checksumAlgorithm: notSupported, checksumType: notSupported },
  },
  respond: (result) => json(200, result),
});
