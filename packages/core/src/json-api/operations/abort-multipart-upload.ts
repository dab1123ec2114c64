import { abortMultipartUpload as action } from '../../actions/abort-multipart-upload.js';
import { operation } from '../../http/operation.js';
import { uploadId } from '../../http/readers.js';
import { empty } from '../../http/responses.js';

export const abortMultipartUpload = operation(action, {
  route: { method: 'DELETE', query: ['uploadId'] },
  input: { uploadId },
  respond: () => empty(204),
});
