import type { DialectClient } from '../../actions/client.js';
import type { PartName } from '../../actions/pages.js';
import { assertEmpty, bare, type Connection } from './connection.js';
import {
  conditionHeaders,
  digestHeaders,
  objectHeaders,
  sourceHeaders,
  writtenIn,
} from './headers.js';
import { partsIn, uploadsIn } from './listing.js';
import { copiedIn } from './objects.js';
import { knows, type Node, one, write } from './xml.js';

type Actions = Pick<
  DialectClient,
  | 'initiateUpload'
  | 'uploadPart'
  | 'copyPart'
  | 'completeUpload'
  | 'abortUpload'
  | 'listParts'
  | 'listUploads'
>;

/** A list of parts as CompleteMultipartUpload takes it. */
const partList = (parts: readonly PartName[]): string =>
  write([
    'CompleteMultipartUpload',
    parts.map(({ number, etag }): Node => {
      return ['Part', [['PartNumber', number] as const, ['ETag', etag] as const]];
    }),
  ]);

export const uploadActions = (connection: Connection): Actions => ({
  async initiateUpload(bucket, key, options) {
    const headers = objectHeaders(options);
    const call = { method: 'POST', bucket, key, query: { uploads: '' }, headers };
    const result = await connection.document(call, 'InitiateMultipartUploadResult');
    knows(result, 'Bucket', 'Key', 'UploadId');
    const uploadId = one(result, 'UploadId');
    return { bucket: one(result, 'Bucket'), key: one(result, 'Key'), uploadId };
  },
  async uploadPart({ uploadId, ...name }, partNumber, body, { digests } = {}) {
    const [query, headers] = [{ partNumber, uploadId }, digestHeaders(digests)];
    const answer = await connection.call({ method: 'PUT', ...name, query, headers, body }, 200);
    assertEmpty(answer);
    return writtenIn(answer);
  },
  async copyPart(source, { uploadId, ...name }, partNumber, { range, sourceConditions } = {}) {
    const headers = {
      ...sourceHeaders(source, sourceConditions),
      ...(range !== undefined && { 'x-amz-copy-source-range': range }),
    };
    const query = { partNumber, uploadId };
    const call = { method: 'PUT', ...name, query, headers, body: '' };
    return copiedIn(await connection.document(call, 'CopyPartResult'));
  },
  async completeUpload({ uploadId, ...name }, parts, { conditions } = {}) {
    const headers = conditionHeaders(conditions);
    const call = { method: 'POST', ...name, query: { uploadId }, headers, body: partList(parts) };
    const result = await connection.document(call, 'CompleteMultipartUploadResult');
    knows(result, 'Location', 'Bucket', 'Key', 'ETag', 'ChecksumCRC32', 'ChecksumType');
    const [bucket, key] = [one(result, 'Bucket'), one(result, 'Key')];
    return { bucket, key, etag: bare(one(result, 'ETag')), location: one(result, 'Location') };
  },
  async abortUpload({ uploadId, ...name }) {
    assertEmpty(await connection.call({ method: 'DELETE', ...name, query: { uploadId } }, 204));
  },
  async listParts({ uploadId, ...name }, { marker, maxParts } = {}) {
    const query = { uploadId, 'max-parts': maxParts, 'part-number-marker': marker };
    return partsIn(await connection.document({ method: 'GET', ...name, query }, 'ListPartsResult'));
  },
  async listUploads(bucket, options = {}) {
    const { prefix, delimiter, keyMarker, uploadIdMarker, maxUploads } = options;
    const query = {
      ...{ uploads: '', prefix, delimiter, 'key-marker': keyMarker, 'max-uploads': maxUploads },
      ...{ 'upload-id-marker': uploadIdMarker, 'encoding-type': 'url' },
    };
    const call = { method: 'GET', bucket, query };
    return uploadsIn(await connection.document(call, 'ListMultipartUploadsResult'));
  },
});
