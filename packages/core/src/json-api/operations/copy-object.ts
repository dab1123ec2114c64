import { copyObject as action } from '../../actions/copy-object.js';
import { operation } from '../../http/operation.js';
import { header, notSupported } from '../../http/readers.js';
import { objectAclHeaders } from '../grants.js';
import { storageClass, storedHeaders } from '../object-headers.js';
import { copied } from '../render.js';
import { copySource } from '../sources.js';

export const copyObject = operation(action, {
  route: { method: 'PUT', headers: ['x-svc-copy-source'] },
  // This header only requests a response header.
  ignores: ['x-svc-content-crc32c-flag'],
  slow: true,
  input: {
    ...copySource,
    ...storedHeaders,
    ...objectAclHeaders,
    metadataDirective: header(
      'x-svc-metadata-directive',
      (text) => text.toLowerCase() as 'copy' | 'replace',
    ),
    storageClass,
    tags: notSupported,
    taggingDirective: notSupported,
    checksumAlgorithm: notSupported,
  },
  respond: copied,
});
