import assert from 'node:assert/strict';
import type { DialectClient } from '../../actions/client.js';
import type { Copied } from '../../actions/values.js';
import { receive } from '../../http/wire.js';
import type { JsonAnswer } from './answer.js';
import { assertEmpty, type Connection, fieldsOf, timeOf } from './connection.js';
import {
  conditionHeaders,
  descriptionIn,
  digestHeaders,
  getHeaders,
  objectHeaders,
  overrideQuery,
  sourceHeaders,
  writtenIn,
} from './headers.js';

type Actions = Pick<
  DialectClient,
  | 'putObject'
  | 'getObject'
  | 'headObject'
  | 'openObject'
  | 'deleteObject'
  | 'copyObject'
  | 'appendObject'
  | 'renameObject'
>;

/** What CopyObject and UploadPartCopy answer: the ETag in both spellings. */
export function copiedIn(answer: JsonAnswer): Copied {
  const { ETag, eTag, lastModified } = fieldsOf(answer, ['ETag', 'eTag', 'lastModified']);
  assert.equal(ETag, eTag);
  return { etag: eTag, lastModified: timeOf(lastModified) };
}

export const objectActions = (connection: Connection): Actions => ({
  async putObject(bucket, key, body, options = {}) {
    const headers = {
      ...objectHeaders(options),
      ...digestHeaders(options.digests),
      ...conditionHeaders(options.conditions),
    };
    const answer = await connection.call({ method: 'PUT', bucket, key, headers, body }, 200);
    assertEmpty(answer);
    return writtenIn(answer);
  },
  async getObject(bucket, key, options = {}) {
    const [headers, query] = [getHeaders(options), overrideQuery(options.overrides)];
    const answer = await connection.call({ method: 'GET', bucket, key, headers, query }, 200, 206);
    const description = descriptionIn(answer);
    assert.equal(answer.body.length, description.size);
    return { ...description, body: answer.body, text: answer.text };
  },
  async headObject(bucket, key, options = {}) {
    const [headers, query] = [getHeaders(options), overrideQuery(options.overrides)];
    const answer = await connection.call({ method: 'HEAD', bucket, key, headers, query }, 200);
    assert.equal(answer.body.length, 0);
    return descriptionIn(answer);
  },
  async openObject(bucket, key) {
    const { head, res } = await connection.open({ method: 'GET', bucket, key });
    return {
      description: descriptionIn(head),
      read: async () => (await receive(res)).body,
      cancel: () => res.socket.resetAndDestroy(),
    };
  },
  async deleteObject(bucket, key, { conditions } = {}) {
    const headers = conditionHeaders(conditions);
    assertEmpty(await connection.call({ method: 'DELETE', bucket, key, headers }, 204));
  },
  async copyObject(source, bucket, key, options = {}) {
    const { directive } = options;
    const headers = {
      ...objectHeaders(options),
      ...sourceHeaders(source, options.sourceConditions),
      ...(directive !== undefined && { 'x-svc-metadata-directive': directive }),
    };
    return copiedIn(await connection.call({ method: 'PUT', bucket, key, headers, body: '' }, 200));
  },
  async appendObject(bucket, key, body, offset, options = {}) {
    const headers = { ...objectHeaders(options), ...digestHeaders(options.digests) };
    const call = { method: 'POST', bucket, key, flag: 'append', query: { offset }, headers, body };
    const answer = await connection.call(call, 200);
    assertEmpty(answer);
    const appendOffset = Number(answer.header('x-svc-next-append-offset'));
    return { ...writtenIn(answer), appendOffset };
  },
  async renameObject(bucket, from, to, options = {}) {
    const headers = { ...objectHeaders(options), 'x-svc-rename-key': encodeURIComponent(from) };
    assertEmpty(await connection.call({ method: 'POST', bucket, key: to, headers }, 200));
  },
});
