import { abortMultipartUpload as action } from '../../actions/abort-multipart-upload.js';
import { operation } from '../../http/operation.js';
import { empty } from '../../http/responses.js';
import { uploadId } from '../parts.js';

export const abortMultipartUpload = operation(action, {
  route: { method: 'DELETE', query: ['uploadId'] },
  input: { uploadId },
  respond: () => empty(204),
});
