import assert from 'node:assert/strict';
import type { DialectClient } from '../../actions/client.js';
import type { Copied } from '../../actions/values.js';
import { receive } from '../../http/wire.js';
import { assertEmpty, bare, type Connection, timeOf } from './connection.js';
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
import { type Element, knows, one } from './xml.js';

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

/** What CopyObject and UploadPartCopy answer. */
export function copiedIn(result: Element): Copied {
  knows(result, 'LastModified', 'ETag');
  return { etag: bare(one(result, 'ETag')), lastModified: timeOf(one(result, 'LastModified')) };
}

const notOfS3 = () => Promise.reject(new Error('S3 has no such action.'));

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
      ...(directive !== undefined && { 'x-amz-metadata-directive': directive.toUpperCase() }),
    };
    const call = { method: 'PUT', bucket, key, headers, body: '' };
    return copiedIn(await connection.document(call, 'CopyObjectResult'));
  },
  appendObject: notOfS3,
  renameObject: notOfS3,
});
