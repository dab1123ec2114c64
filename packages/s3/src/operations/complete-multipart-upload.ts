import {
  actions,
  header,
  operation,
  type Reader,
  removeConditions,
  unspoken,
} from '@bucketware/core/dialect';
import { noSuchObject } from '../conditions.js';
import { notOffered } from '../errors.js';
import { inBody } from '../readers.js';
import { xml } from '../render.js';
import { CHECKSUM_HEADERS, crc32Of, crc32Text } from '../request/checksums.js';
import { xmlBody } from '../request/xml-body.js';
import {
  type CompleteMultipartUpload,
  completeMultipartUpload as document,
} from '../xml/documents/complete-multipart-upload.js';
import { uploadId } from './uploads.js';

const CRC32 = 'x-amz-checksum-crc32';

/** A checksum of the whole object, whose parts are there already. That of parts of parts is none. */
const contentCrc32: Reader<number | undefined> = {
  label: `The header ${CRC32}`,
  headers: [...CHECKSUM_HEADERS, 'x-amz-checksum-type'],
  read({ headers }) {
    const other = CHECKSUM_HEADERS.find((name) => name !== CRC32 && headers.has(name));
    if (other !== undefined)
      throw notOffered(`${other} of the whole is not offered. Send ${CRC32}.`);
    const sum = headers.get(CRC32);
    if (headers.get('x-amz-checksum-type') === 'COMPOSITE' && sum !== undefined) {
      throw notOffered('Composite checksums are not offered.');
    }
    return sum === undefined ? undefined : crc32Of(sum);
  },
};

/** Bytes that the client believes to have uploaded. */
const size = header('x-amz-mp-object-size', () => {
  throw notOffered('x-amz-mp-object-size is not compared here. Leave it out.');
});

export const completeMultipartUpload = operation(actions.completeMultipartUpload, {
  route: { method: 'POST', query: ['uploadId'] },
  body: xmlBody(document),
  input: {
    uploadId,
    parts: inBody('Part', ({ Part: parts }: CompleteMultipartUpload) =>
      parts.map(({ PartNumber: partNumber, ETag: etag }) => ({ partNumber, etag })),
    ),
    metadata: unspoken,
    contentCrc32,
    ...removeConditions,
    forbidOverwrite: unspoken,
  },
  asked: { size },
  recover: noSuchObject,

  respond({ etag, crc32 }, { bucketName, key, url }) {
    return xml(200, 'CompleteMultipartUploadResult', {
      Location: url(),
      Bucket: bucketName,
      Key: key,
      ETag: `"${etag}"`,
      ...(crc32 === undefined
        ? undefined
        : { ChecksumCRC32: crc32Text(crc32), ChecksumType: 'FULL_OBJECT' }),
    });
  },
});
