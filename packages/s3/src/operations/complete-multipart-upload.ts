import {
  actions,
  type Checksum,
  notSupported,
  type ObjectChecksum,
  operation,
  type Reader,
  removeConditions,
  uploadId,
  wholeNumber,
} from '@bucketware/core/dialect';
import { noSuchObject } from '../conditions.js';
import { checksumType } from '../digests.js';
import { amz, inBody } from '../readers.js';
import { xml } from '../render.js';
import {
  CHECKSUM_HEADERS,
  CHECKSUM_KINDS,
  checksumElement,
  checksumElements,
  checksumHeader,
  kindOf,
  readChecksum,
  readObjectChecksum,
} from '../request/checksums.js';
import { xmlBody } from '../request/xml-body.js';
import {
  type CompleteMultipartUpload,
  completeMultipartUpload as document,
} from '../xml/documents/complete-multipart-upload.js';
import { asInvalidRequest } from './uploads.js';

/** The checksum that the object must have. */
const checksum: Reader<ObjectChecksum | undefined> = {
  label: 'The checksum of the object',
  headers: CHECKSUM_HEADERS,
  read({ headers }) {
    const name = CHECKSUM_HEADERS.find((known) => headers.has(known));
    const kind = name === undefined ? undefined : kindOf(name);
    return kind && readObjectChecksum(kind, headers.get(checksumHeader(kind)) as string);
  },
};

type Part = CompleteMultipartUpload['Part'][number];

const checksumsIn = (part: Part): readonly Checksum[] =>
  CHECKSUM_KINDS.flatMap((kind) => {
    const text = part[checksumElement(kind) as keyof Part];
    return typeof text === 'string' ? [readChecksum(kind, text)] : [];
  });

function listed(part: Part) {
  const { PartNumber: partNumber, ETag: etag } = part;
  const checksums = checksumsIn(part);
  return checksums.length === 0 ? { partNumber, etag } : { partNumber, etag, checksums };
}

export const completeMultipartUpload = operation(actions.completeMultipartUpload, {
  route: { method: 'POST', query: ['uploadId'] },
  body: xmlBody(document),
  input: {
    uploadId,
    parts: inBody('Part', ({ Part: parts }: CompleteMultipartUpload) => parts.map(listed)),
    ...{ checksum, checksumType, size: amz('x-amz-mp-object-size', wholeNumber) },
    ...{ metadata: notSupported, contentCrc32: notSupported },
    ...{ contentCrc32c: notSupported, contentCrc64: notSupported },
    ...removeConditions,
    forbidOverwrite: notSupported,
  },
  recover: (error) => noSuchObject(error) ?? asInvalidRequest(error),

  respond({ etag, checksum: shown }, { bucketName, key, url }) {
    return xml(200, 'CompleteMultipartUploadResult', {
      Location: url(),
      Bucket: bucketName,
      Key: key,
      ETag: `"${etag}"`,
      ...checksumElements(shown),
    });
  },
});
