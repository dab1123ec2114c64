import assert from 'node:assert/strict';
import type { DeleteFailure } from '../../actions/pages.js';
import { assertEmpty } from '../../client/answers.js';
import type { Connection } from '../../client/connection.js';
import {
  conditionHeaders,
  digestHeaders,
  metadataHeaders,
  objectHeaders,
  writtenIn,
} from '../../client/headers.js';
import type { OwnActions } from '../../client/index.js';
import { assertFields, fieldsOf, timeOf } from './json.js';
import { pageIn, partsIn, uploadsIn } from './listing.js';
import { spelling } from './spelling.js';

/** The actions whose requests are specific to the JSON interface. */
export const ownActions = (connection: Connection): OwnActions => ({
  async listBuckets({ prefix } = {}) {
    const answer = await connection.call({ method: 'GET', query: { prefix } }, 200);
    const { owner, buckets } = fieldsOf(answer, ['owner', 'buckets']);
    assertFields(owner, ['id', 'displayName']);
    const found = (buckets as readonly Record<string, string>[]).map((bucket) => {
      const { name = '', location, creationDate } = bucket;
      assertFields(bucket, ['name', 'location', 'creationDate']);
      assert.ok(typeof location === 'string' && location !== '', name);
      return { name, created: timeOf(creationDate) };
    });
    return { owner, buckets: found };
  },
  async bucketLocation(bucket) {
    const answer = await connection.call({ method: 'GET', bucket, flag: 'location' }, 200);
    return fieldsOf(answer, ['locationConstraint']).locationConstraint;
  },
  async listObjects(bucket, { prefix, delimiter, marker, maxKeys } = {}) {
    const query = { prefix, delimiter, marker, maxKeys };
    return pageIn(await connection.call({ method: 'GET', bucket, query }, 200));
  },
  async deleteObjects(bucket, keys) {
    const body = JSON.stringify({ objects: keys.map((key) => ({ key })) });
    const answer = await connection.call({ method: 'POST', bucket, flag: 'delete', body }, 200);
    if (answer.body.length === 0) {
      assertEmpty(answer);
      return [];
    }
    const { errors } = fieldsOf(answer, ['errors']);
    assert.ok(errors.length > 0, 'a list of failures is not empty');
    return errors.map((error: DeleteFailure & { message: string }): DeleteFailure => {
      assertFields({ ...error }, ['key', 'code', 'message']);
      assert.ok(error.message);
      return { key: error.key, code: error.code };
    });
  },
  async appendObject(bucket, key, body, offset, options = {}) {
    const headers = {
      ...objectHeaders(spelling, options),
      ...digestHeaders(spelling, options.digests),
    };
    const call = { method: 'POST', bucket, key, flag: 'append', query: { offset }, headers, body };
    const answer = await connection.call(call, 200);
    assertEmpty(answer);
    const appendOffset = Number(answer.header('x-svc-next-append-offset'));
    return { ...writtenIn(spelling, answer), appendOffset };
  },
  async renameObject(bucket, from, to, options = {}) {
    const renamed = { 'x-svc-rename-key': encodeURIComponent(from) };
    const headers = {
      ...objectHeaders(spelling, options),
      ...conditionHeaders(options.conditions),
      ...renamed,
    };
    assertEmpty(await connection.call({ method: 'POST', bucket, key: to, headers }, 200));
  },
  async initiateUpload(bucket, key, options) {
    const headers = objectHeaders(spelling, options);
    const call = { method: 'POST', bucket, key, flag: 'uploads', headers };
    const answer = await connection.call(call, 200);
    const upload = fieldsOf(answer, ['bucket', 'key', 'uploadId']);
    assert.match(upload.uploadId, /^[0-9a-f]{32}$/);
    return upload;
  },
  async completeUpload({ uploadId, ...name }, parts, { metadata, conditions, digests } = {}) {
    const list = parts.map(({ number, etag }) => ({ partNumber: number, eTag: etag }));
    const headers = {
      ...metadataHeaders(spelling, metadata),
      ...conditionHeaders(conditions),
      ...digestHeaders(spelling, digests),
    };
    const sent = { headers, body: JSON.stringify({ parts: list }) };
    const call = { method: 'POST', ...name, query: { uploadId }, ...sent };
    const answer = await connection.call(call, 200);
    const { eTag, ...rest } = fieldsOf(answer, ['bucket', 'key', 'eTag', 'location']);
    return { ...rest, etag: eTag };
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
