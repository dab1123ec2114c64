import { actions, operation } from '@bucketware/core/dialect';
import { checksumAlgorithm } from '../digests.js';
import { invalid, invalidRequest } from '../errors.js';
import { isoTime } from '../listing.js';
import { storageClass, storedHeaders } from '../object-headers.js';
import { amz } from '../readers.js';
import { lateXml } from '../render.js';
import { checksumElements } from '../request/checksums.js';
import { objectAclHeaders } from '../settings/grants.js';
import { taggingHeader } from '../settings/tags.js';
import { copySource } from '../sources.js';

function directive(text: string): 'copy' | 'replace' {
  if (text === 'COPY' || text === 'REPLACE') return text.toLowerCase() as 'copy' | 'replace';
  throw invalid('A directive must be COPY or REPLACE.');
}

export const copyObject = operation(actions.copyObject, {
  route: { method: 'PUT', headers: ['x-amz-copy-source'] },
  slow: true,
  input: {
    ...copySource,
    ...storedHeaders,
    ...objectAclHeaders,
    metadataDirective: amz('x-amz-metadata-directive', directive),
    storageClass,
    ...taggingHeader,
    taggingDirective: amz('x-amz-tagging-directive', directive),
    checksumAlgorithm,
  },

  respond: ({ etag, lastModified, checksum }) =>
    lateXml('CopyObjectResult', {
      LastModified: isoTime(lastModified),
      ETag: `"${etag}"`,
      ...checksumElements(checksum),
    }),

  recover({ code, message }, { bucketName, key, input: { source } }) {
    const isItself = source.bucket === bucketName && source.key === key;
    if (code === 'InvalidArgument' && isItself) throw invalidRequest(message);
    return undefined;
  },
});
