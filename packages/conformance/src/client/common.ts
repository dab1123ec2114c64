import assert from 'node:assert/strict';
import type { DialectClient } from '../actions/client.js';
import { receive } from '../http/wire.js';
import { assertEmpty } from './answers.js';
import type { Connection } from './connection.js';
import {
  aclHeaders,
  conditionHeaders,
  descriptionIn,
  digestHeaders,
  objectHeaders,
  readParameters,
  sourceHeaders,
  writtenIn,
} from './headers.js';

type Actions = Pick<
  DialectClient,
  | 'createBucket'
  | 'headBucket'
  | 'deleteBucket'
  | 'putObject'
  | 'getObject'
  | 'headObject'
  | 'openObject'
  | 'deleteObject'
  | 'copyObject'
  | 'uploadPart'
  | 'copyPart'
  | 'abortUpload'
>;

/** Actions on buckets, objects and parts that are the same requests in every dialect. */
export const commonActions = (connection: Connection): Actions => {
  const { spelling } = connection;
  return {
    async createBucket(bucket, options = {}) {
      const headers = aclHeaders(spelling, options);
      const answer = await connection.call({ method: 'PUT', bucket, headers }, 200);
      assertEmpty(answer);
      assert.equal(answer.header('location'), `/${bucket}`);
    },
    async headBucket(bucket) {
      assertEmpty(await connection.call({ method: 'HEAD', bucket }, 200));
    },
    async deleteBucket(bucket) {
      assertEmpty(await connection.call({ method: 'DELETE', bucket }, 204));
    },
    async putObject(bucket, key, body, options = {}) {
      const headers = {
        ...objectHeaders(spelling, options),
        ...digestHeaders(spelling, options.digests),
        ...conditionHeaders(options.conditions),
      };
      const answer = await connection.call({ method: 'PUT', bucket, key, headers, body }, 200);
      assertEmpty(answer);
      return writtenIn(spelling, answer);
    },
    async getObject(bucket, key, options = {}) {
      const call = { method: 'GET', bucket, key, ...readParameters(spelling, options) };
      const answer = await connection.call(call, 200, 206);
      const description = descriptionIn(spelling, answer);
      assert.equal(answer.body.length, description.size);
      return { ...description, body: answer.body, text: answer.text };
    },
    async headObject(bucket, key, options = {}) {
      const call = { method: 'HEAD', bucket, key, ...readParameters(spelling, options) };
      const answer = await connection.call(call, 200);
      assert.equal(answer.body.length, 0);
      return descriptionIn(spelling, answer);
    },
    async openObject(bucket, key) {
      const { head, res } = await connection.open({ method: 'GET', bucket, key });
      return {
        description: descriptionIn(spelling, head),
        read: async () => (await receive(res)).body,
        cancel: () => res.socket.resetAndDestroy(),
      };
    },
    async deleteObject(bucket, key, { conditions } = {}) {
      const headers = conditionHeaders(conditions);
      assertEmpty(await connection.call({ method: 'DELETE', bucket, key, headers }, 204));
    },
    async copyObject(source, bucket, key, options = {}) {
      const { directive, sourceConditions } = options;
      const headers = {
        ...objectHeaders(spelling, options),
        ...sourceHeaders(spelling, source, sourceConditions),
        ...(directive !== undefined && {
          [`${spelling.prefix}metadata-directive`]: spelling.directiveOf(directive),
        }),
      };
      const call = { method: 'PUT', bucket, key, headers, body: '' };
      return spelling.copiedIn(await connection.call(call, 200), 'CopyObject');
    },
    async uploadPart({ uploadId, ...name }, partNumber, body, { digests } = {}) {
      const [query, headers] = [{ partNumber, uploadId }, digestHeaders(spelling, digests)];
      const answer = await connection.call({ method: 'PUT', ...name, query, headers, body }, 200);
      assertEmpty(answer);
      return writtenIn(spelling, answer);
    },
    async copyPart(source, { uploadId, ...name }, partNumber, { range, sourceConditions } = {}) {
      const headers = {
        ...sourceHeaders(spelling, source, sourceConditions),
        ...(range !== undefined && { [`${spelling.prefix}copy-source-range`]: range }),
      };
      const query = { partNumber, uploadId };
      const call = { method: 'PUT', ...name, query, headers, body: '' };
      return spelling.copiedIn(await connection.call(call, 200), 'CopyPart');
    },
    async abortUpload({ uploadId, ...name }) {
      assertEmpty(await connection.call({ method: 'DELETE', ...name, query: { uploadId } }, 204));
    },
  };
};
