import { actions, operation } from '@bucketware/core/dialect';
import { invalid, invalidRequest } from '../errors.js';
import { isoTime } from '../listing.js';
import { storageClass, storedHeaders } from '../object-headers.js';
import { amz } from '../readers.js';
import { lateXml } from '../render.js';
import { objectAclHeaders } from '../settings/grants.js';
import { copySource } from '../sources.js';

function directive(text: string): 'copy' | 'replace' {
  if (text === 'COPY' || text === 'REPLACE') return text.toLowerCase() as 'copy' | 'replace';
  throw invalid('Unknown metadata directive.');
}

export const copyObject = operation(actions.copyObject, {
  route: { method: 'PUT', headers: ['x-amz-copy-source'] },
  // It is about the object that is made, which has no tags: there are none to copy or to replace.
  ignores: ['x-amz-tagging-directive'],
  slow: true,
  input: {
    ...copySource,
    ...storedHeaders,
    ...objectAclHeaders,
    metadataDirective: amz('x-amz-metadata-directive', directive),
    storageClass,
  },

  respond: ({ etag, lastModified }) =>
    lateXml('CopyObjectResult', { LastModified: isoTime(lastModified), ETag: `"${etag}"` }),

  recover({ code, message }, { bucketName, key, input: { source } }) {
    const isItself = source.bucket === bucketName && source.key === key;
    if (code === 'InvalidArgument' && isItself) throw invalidRequest(message);
    return undefined;
  },
});
