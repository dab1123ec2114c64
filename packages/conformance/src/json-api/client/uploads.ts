import assert from 'node:assert/strict';
import type { DialectClient } from '../../actions/client.js';
import type { PartName } from '../../actions/pages.js';
import { assertEmpty, type Connection, fieldsOf } from './connection.js';
import {
  conditionHeaders,
  digestHeaders,
  metadataHeaders,
  objectHeaders,
  sourceHeaders,
  writtenIn,
} from './headers.js';
import { partsIn, uploadsIn } from './listing.js';
import { copiedIn } from './objects.js';

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
  JSON.stringify({ parts: parts.map(({ number, etag }) => ({ partNumber: number, eTag: etag })) });

export const uploadActions = (connection: Connection): Actions => ({
  async initiateUpload(bucket, key, options) {
    const headers = objectHeaders(options);
    const call = { method: 'POST', bucket, key, flag: 'uploads', headers };
    const answer = await connection.call(call, 200);
    const upload = fieldsOf(answer, ['bucket', 'key', 'uploadId']);
    assert.match(upload.uploadId, /^[0-9a-f]{32}$/);
    return upload;
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
      ...(range !== undefined && { 'x-svc-copy-source-range': range }),
    };
    const query = { partNumber, uploadId };
    const call = { method: 'PUT', ...name, query, headers, body: '' };
    return copiedIn(await connection.call(call, 200));
  },
  async completeUpload({ uploadId, ...name }, parts, { metadata, conditions } = {}) {
    const headers = { ...metadataHeaders(metadata), ...conditionHeaders(conditions) };
    const call = { method: 'POST', ...name, query: { uploadId }, headers, body: partList(parts) };
    const answer = await connection.call(call, 200);
    const { eTag, ...rest } = fieldsOf(answer, ['bucket', 'key', 'eTag', 'location']);
    return { ...rest, etag: eTag };
  },
  async abortUpload({ uploadId, ...name }) {
    assertEmpty(await connection.call({ method: 'DELETE', ...name, query: { uploadId } }, 204));
  },
  async listParts({ uploadId, ...name }, { marker, maxParts } = {}) {
    const query = { uploadId, maxParts, partNumberMarker: marker };
    return partsIn(await connection.call({ method: 'GET', ...name, query }, 200));
  },
  async listUploads(bucket, options = {}) {
    const { prefix, delimiter, keyMarker, uploadIdMarker, maxUploads } = options;
    const query = { prefix, delimiter, keyMarker, uploadIdMarker, maxUploads };
    return uploadsIn(await connection.call({ method: 'GET', bucket, flag: 'uploads', query }, 200));
  },
});
