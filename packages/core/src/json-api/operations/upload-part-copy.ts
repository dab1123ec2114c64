import { uploadPartCopy as action } from '../../actions/upload-part-copy.js';
import { operation } from '../../http/operation.js';
import { header, partNumber, uploadId } from '../../http/readers.js';
import { META } from '../header-prefix.js';
import { copied } from '../render.js';
import { copySource } from '../sources.js';

export const uploadPartCopy = operation(action, {
  route: {
    method: 'PUT',
    query: ['partNumber', 'uploadId'],
    headers: ['x-svc-copy-source'],
  },
  // Clients send these with each part, but they take effect when the upload is completed.
  ignores: [`${META}*`, 'x-svc-content-crc32c-flag'],
  slow: true,
  input: { uploadId, partNumber, ...copySource, range: header('x-svc-copy-source-range') },
  respond: copied,
});
