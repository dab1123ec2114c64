import { uploadPart as action } from '../../actions/upload-part.js';
import { operation } from '../../http/operation.js';
import { notSupported, partNumber, uploadId } from '../../http/readers.js';
import { empty } from '../../http/responses.js';
import { crc32cFlag, digests } from '../digests.js';
import { META } from '../header-prefix.js';
import { written } from '../object-headers.js';

export const uploadPart = operation(action, {
  route: { method: 'PUT', query: ['partNumber', 'uploadId'] },
  // Clients send these with each part, but they take effect when the upload is completed.
  ignores: [`${META}*`],
  input: { uploadId, partNumber, ...digests, ...crc32cFlag, checksum: notSupported },
  respond({ etag, crc32, checksums }, { input }) {
    const crc32c = checksums.find(({ algorithm }) => algorithm === 'crc32c');
    return empty(200, written(etag, crc32, input.crc32cFlag ? crc32c : undefined));
  },
});
