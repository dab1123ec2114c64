import { actions, operation, query, wholeNumber } from '@bucketware/core/dialect';
import { asItIs, encodingType, given, isoTime, owner, prefixes } from '../listing.js';
import { shownClass } from '../object-headers.js';
import { xml } from '../render.js';
import { checksumOfUpload } from '../request/checksums.js';

export const listMultipartUploads = operation(actions.listMultipartUploads, {
  route: { method: 'GET', query: ['uploads'] },
  input: {
    prefix: query('prefix'),
    delimiter: query('delimiter'),
    keyMarker: query('key-marker'),
    uploadIdMarker: query('upload-id-marker'),
    maxUploads: query('max-uploads', wholeNumber),
  },
  responseInput: encodingType,

  respond(result, { bucketName, input, responseInput }) {
    const { encode = asItIs } = responseInput;
    return xml(200, 'ListMultipartUploadsResult', {
      Bucket: bucketName,
      KeyMarker: encode(input.keyMarker),
      UploadIdMarker: input.uploadIdMarker,
      NextKeyMarker: given(result.nextKeyMarker, encode),
      NextUploadIdMarker: result.nextUploadIdMarker,
      Delimiter: given(input.delimiter, encode),
      Prefix: encode(input.prefix),
      MaxUploads: input.maxUploads,
      IsTruncated: result.isTruncated,
      EncodingType: responseInput.encode && 'url',
      Upload: result.uploads.map((upload) => ({
        Key: encode(upload.key),
        UploadId: upload.uploadId,
        Initiator: owner(upload.owner),
        Owner: owner(upload.owner),
        StorageClass: shownClass(upload.storageClass),
        Initiated: isoTime(upload.initiated),
        ...checksumOfUpload(upload.checksum),
      })),
      CommonPrefixes: prefixes(result.commonPrefixes, encode),
    });
  },
});
