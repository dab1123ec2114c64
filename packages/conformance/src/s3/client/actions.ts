import assert from 'node:assert/strict';
import { Failure, outcome } from '../../actions/failure.js';
import type { DeleteFailure } from '../../actions/pages.js';
import { bare } from '../../client/answers.js';
import { commonActions } from '../../client/common.js';
import type { Call, Connection } from '../../client/connection.js';
import { conditionHeaders, digestHeaders, objectHeaders } from '../../client/headers.js';
import type { OwnActions } from '../../client/index.js';
import { codeOf } from './errors.js';
import { ownerIn, pageIn, partsIn, uploadsIn } from './listing.js';
import { spelling } from './spelling.js';
import { all, documentIn, knows, type Node, one, optional, timeOf, write } from './xml.js';

/** XML cannot contain most control characters, U+FFFE and U+FFFF. */
const isXml = (key: string): boolean =>
  key.isWellFormed() && !/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(key);

/** Deletes keys that a list cannot contain, and resolves to those that were not deleted. */
async function oneByOne(keys: readonly string[], remove: (key: string) => Promise<void>) {
  const failed: DeleteFailure[] = [];
  for (const key of keys) {
    const result = await outcome(remove(key));
    if (result instanceof Failure) failed.push({ key, code: result.code });
  }
  return failed;
}

const notOfS3 = () => Promise.reject(new Error('S3 has no such action.'));

/** The actions whose requests are specific to S3. */
export function ownActions(connection: Connection): OwnActions {
  const document = async (call: Call, root: string) =>
    documentIn(await connection.call(call, 200), root);
  return {
    async listBuckets({ prefix } = {}) {
      const result = await document({ method: 'GET', query: { prefix } }, 'ListAllMyBucketsResult');
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
      const call = { method: 'GET', bucket, flag: 'location' };
      const { text, children } = await document(call, 'LocationConstraint');
      assert.equal(children.length, 0);
      return text === '' ? 'us-east-1' : text;
    },
    async listObjects(bucket, { prefix, delimiter, marker, maxKeys } = {}) {
      const query = { prefix, delimiter, marker, 'max-keys': maxKeys, 'encoding-type': 'url' };
      return pageIn(await document({ method: 'GET', bucket, query }, 'ListBucketResult'));
    },
    async deleteObjects(bucket, keys) {
      const { deleteObject } = commonActions(connection);
      const [written, others] = [keys.filter(isXml), keys.filter((key) => !isXml(key))];
      const undeleted = await oneByOne(others, (key) => deleteObject(bucket, key));
      if (written.length === 0 && others.length > 0) return undeleted;
      const objects = written.map((key) => ['Object', [['Key', key]]] as const);
      const call = { method: 'POST', bucket, flag: 'delete', body: write(['Delete', objects]) };
      const result = await document(call, 'DeleteResult');
      knows(result, 'Deleted', 'Error');
      const deleted = all(result, 'Deleted').map((item) => one(item, 'Key'));
      const failed = all(result, 'Error').map((item) => {
        assert.ok(optional(item, 'Message'));
        return { key: one(item, 'Key'), code: codeOf(one(item, 'Code')) };
      });
      const named = new Set([...deleted, ...failed.map(({ key }) => key)]);
      assert.equal(named.size, new Set(written).size, 'each key is either deleted or has an error');
      return [...failed, ...undeleted];
    },
    appendObject: notOfS3,
    renameObject: notOfS3,
    async initiateUpload(bucket, key, options) {
      const headers = objectHeaders(spelling, options);
      const call = { method: 'POST', bucket, key, flag: 'uploads', headers };
      const result = await document(call, 'InitiateMultipartUploadResult');
      knows(result, 'Bucket', 'Key', 'UploadId');
      const uploadId = one(result, 'UploadId');
      return { bucket: one(result, 'Bucket'), key: one(result, 'Key'), uploadId };
    },
    async completeUpload({ uploadId, ...name }, parts, { conditions, digests } = {}) {
      const list = parts.map(
        ({ number, etag }): Node => ['Part', [['PartNumber', number] as const, ['ETag', etag]]],
      );
      const headers = { ...conditionHeaders(conditions), ...digestHeaders(spelling, digests) };
      const sent = { headers, body: write(['CompleteMultipartUpload', list]) };
      const call = { method: 'POST', ...name, query: { uploadId }, ...sent };
      const result = await document(call, 'CompleteMultipartUploadResult');
      knows(result, 'Location', 'Bucket', 'Key', 'ETag', 'ChecksumCRC32', 'ChecksumType');
      const [bucket, key] = [one(result, 'Bucket'), one(result, 'Key')];
      return { bucket, key, etag: bare(one(result, 'ETag')), location: one(result, 'Location') };
    },
    async listParts({ uploadId, ...name }, { marker, maxParts } = {}) {
      const query = { uploadId, 'max-parts': maxParts, 'part-number-marker': marker };
      return partsIn(await document({ method: 'GET', ...name, query }, 'ListPartsResult'));
    },
    async listUploads(bucket, options = {}) {
      const { prefix, delimiter, keyMarker, uploadIdMarker, maxUploads } = options;
      const query = {
        ...{ prefix, delimiter, 'key-marker': keyMarker, 'upload-id-marker': uploadIdMarker },
        ...{ 'max-uploads': maxUploads, 'encoding-type': 'url' },
      };
      const call = { method: 'GET', bucket, flag: 'uploads', query };
      return uploadsIn(await document(call, 'ListMultipartUploadsResult'));
    },
  };
}
