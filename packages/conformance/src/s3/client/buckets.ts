import assert from 'node:assert/strict';
import type { DialectClient } from '../../actions/client.js';
import { Failure, outcome } from '../../actions/failure.js';
import type { Undeleted } from '../../actions/pages.js';
import { assertEmpty, type Connection, timeOf } from './connection.js';
import { codeOf } from './failures.js';
import { aclHeaders } from './headers.js';
import { ownerIn, pageIn } from './listing.js';
import { all, knows, one, optional, write } from './xml.js';

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

/** XML has no form for most control characters, U+FFFE and U+FFFF. */
const isXml = (key: string): boolean =>
  key.isWellFormed() && !/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(key);

/** Deletes keys that cannot stand in a list, and resolves to those that were not deleted. */
async function oneByOne(keys: readonly string[], remove: (key: string) => Promise<void>) {
  const failed: Undeleted[] = [];
  for (const key of keys) {
    const result = await outcome(remove(key));
    if (result instanceof Failure) failed.push({ key, code: result.code });
  }
  return failed;
}

export const bucketActions = (
  connection: Connection,
  deleteObject: (bucket: string, key: string) => Promise<void>,
): Actions => ({
  async createBucket(bucket, options = {}) {
    const headers = aclHeaders(options);
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
  async listBuckets({ prefix } = {}) {
    const call = { method: 'GET', query: { prefix } };
    const result = await connection.document(call, 'ListAllMyBucketsResult');
    knows(result, 'Owner', 'Buckets', 'Prefix');
    const [list] = all(result, 'Buckets');
    assert.ok(list);
    const buckets = all(list, 'Bucket').map((bucket) => {
      knows(bucket, 'Name', 'CreationDate', 'BucketRegion');
      return { name: one(bucket, 'Name'), created: timeOf(one(bucket, 'CreationDate')) };
    });
    return { owner: ownerIn(result), buckets };
  },
  async bucketLocation(bucket) {
    const call = { method: 'GET', bucket, query: { location: '' } };
    const { text, children } = await connection.document(call, 'LocationConstraint');
    assert.equal(children.length, 0);
    return text === '' ? 'us-east-1' : text;
  },
  async listObjects(bucket, { prefix, delimiter, marker, maxKeys } = {}) {
    const query = { prefix, delimiter, marker, 'max-keys': maxKeys, 'encoding-type': 'url' };
    return pageIn(await connection.document({ method: 'GET', bucket, query }, 'ListBucketResult'));
  },
  async deleteObjects(bucket, keys) {
    const [written, others] = [keys.filter(isXml), keys.filter((key) => !isXml(key))];
    const undeleted = await oneByOne(others, (key) => deleteObject(bucket, key));
    if (written.length === 0 && others.length > 0) return undeleted;
    const objects = written.map((key) => ['Object', [['Key', key]]] as const);
    const call = {
      method: 'POST',
      bucket,
      query: { delete: '' },
      body: write(['Delete', objects]),
    };
    const result = await connection.document(call, 'DeleteResult');
    knows(result, 'Deleted', 'Error');
    const deleted = all(result, 'Deleted').map((item) => one(item, 'Key'));
    const failed = all(result, 'Error').map((item) => {
      assert.ok(optional(item, 'Message'));
      return { key: one(item, 'Key'), code: codeOf(one(item, 'Code')) };
    });
    const named = new Set([...deleted, ...failed.map(({ key }) => key)]);
    assert.equal(named.size, new Set(written).size, 'each key is deleted, or tells why not');
    return [...failed, ...undeleted];
  },
});
