import assert from 'node:assert/strict';
import type { DialectClient } from '../../actions/client.js';
import type { Undeleted } from '../../actions/pages.js';
import { assertEmpty, assertFields, type Connection, fieldsOf, timeOf } from './connection.js';
import { aclHeaders } from './headers.js';
import { pageIn } from './listing.js';

type Actions = Pick<
  DialectClient,
  | 'createBucket'
  | 'headBucket'
  | 'deleteBucket'
  | 'listBuckets'
  | 'bucketLocation'
  | 'listObjects'
  | 'deleteObjects'
>;

export const bucketActions = (connection: Connection): Actions => ({
  async createBucket(bucket, options = {}) {
    const headers = aclHeaders(options);
    const answer = await connection.call({ method: 'PUT', bucket, headers }, 200);
    assertEmpty(answer);
    assert.ok(answer.header('location'));
  },
  async headBucket(bucket) {
    const answer = await connection.call({ method: 'HEAD', bucket }, 200);
    assert.equal(answer.body.length, 0);
  },
  async deleteBucket(bucket) {
    assertEmpty(await connection.call({ method: 'DELETE', bucket }, 204));
  },
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
    return errors.map((error: Undeleted & { message: string }): Undeleted => {
      assertFields({ ...error }, ['key', 'code', 'message']);
      assert.ok(error.message);
      return { key: error.key, code: error.code };
    });
  },
});
