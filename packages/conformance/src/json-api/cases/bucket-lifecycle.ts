import assert from 'node:assert/strict';
import type { StorageClient } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';
import { BOB, EVERYBODY, grant, putSetting } from '../wire/settings.js';

type Rule = Readonly<Record<string, unknown>>;

/** A valid rule with every field. */
export const ruleFor = (bucket: string, fields: object = {}): Rule => ({
  id: 'a',
  status: 'enabled',
  resource: [`${bucket}/tmp/*`],
  condition: { time: { dateGreaterThan: '$(lastModified)+P7D' } },
  action: { name: 'DeleteObject' },
  ...fields,
});

export const putRules = (storage: StorageClient, bucket: string, ...rule: readonly unknown[]) =>
  putSetting(storage, `/${bucket}`, 'lifecycle', { rule });

/** The rules that GetBucketLifecycle returns. */
export const rulesOf = async (storage: StorageClient, bucket: string): Promise<Rule[]> =>
  (await storage.get(`/${bucket}?lifecycle`)).is(200).json.rule;

export const cases: readonly HttpRule[] = [
  {
    id: 'json-lifecycle-put',
    name: 'PutBucketLifecycle returns 200 without a body, and GetBucketLifecycle returns the rules as they were set',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const rules = [
        ruleFor(bucket),
        ruleFor(bucket, { id: 'b', status: 'disabled', action: { name: 'AbortMultipartUpload' } }),
        ruleFor(bucket, { id: '你 "b"', resource: [`${bucket}/`, `${bucket}/*`, `${bucket}/a*`] }),
      ];
      const answer = (await putRules(storage, bucket, ...rules)).is(200);
      assert.equal(answer.body.length, 0);
      assert.equal(answer.header('content-length'), '0');
      const { json } = (await storage.get(`/${bucket}?lifecycle`)).is(200);
      assert.deepEqual(json, { rule: rules });
    },
  },
  {
    id: 'lifecycle-unknown-fields',
    name: 'unknown fields must be empty, and are not returned',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const put = (more: object, ofAction: object, ofTime: object, ofBody = {}) => {
        const action = { name: 'DeleteObject', ...ofAction };
        const time = { dateGreaterThan: '$(lastModified)+P7D', ...ofTime };
        const rule = { ...ruleFor(bucket, more), action, condition: { time } };
        const body = { version: 1, rule: [rule], ...ofBody };
        return putSetting(storage, `/${bucket}`, 'lifecycle', body);
      };
      const empty = { name: '', created: [], owner: null, filter: { tags: [''] } };
      (await put(empty, { storageClass: '' }, { zone: {} }, { prefix: '' })).is(200);
      assert.deepEqual(await rulesOf(storage, bucket), [ruleFor(bucket)]);
      (await put({ keyPrefix: 'tmp/' }, {}, {})).fails(400, 'InappropriateJSON');
      (await put({}, { keepVersions: 3 }, {})).fails(400, 'InappropriateJSON');
      (await put({}, { storageClass: 'COLD' }, {})).fails(400, 'InvalidArgument');
      (await put({}, {}, { zone: 'UTC' })).fails(400, 'InappropriateJSON');
      (await put({ enabled: false }, {}, {})).fails(400, 'InappropriateJSON');
      (await put({}, { keepVersions: 0 }, {})).fails(400, 'InappropriateJSON');
      for (const ofBody of [
        { prefix: 'tmp/' },
        { dryRun: true },
        { enabled: false },
        { rules: [] },
      ]) {
        (await put({}, {}, {}, ofBody)).fails(400, 'InappropriateJSON');
      }
      assert.deepEqual(await rulesOf(storage, bucket), [ruleFor(bucket)]);
    },
  },
  {
    id: 'lifecycle-content-type',
    name: 'rules are accepted with any Content-Type, and in chunks',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}?lifecycle`;
      const text = JSON.stringify({ rule: [ruleFor(bucket)] });
      for (const type of ['text/plain', 'application/octet-stream', 'application/xml', '']) {
        (await storage.delete(path)).is(204);
        const headers = { 'content-type': type };
        (await storage.send({ method: 'PUT', path, headers, body: text })).is(200);
        assert.deepEqual(await rulesOf(storage, bucket), [ruleFor(bucket)]);
      }
      (await storage.delete(path)).is(204);
      const pieces = Array.from(Buffer.from(text), (byte) => Buffer.of(byte));
      (await storage.send({ method: 'PUT', path, body: pieces })).is(200);
      assert.deepEqual(await rulesOf(storage, bucket), [ruleFor(bucket)]);
    },
  },
  {
    id: 'json-lifecycle-many',
    name: 'a bucket may have 1,000 rules; 1,001 are 400 InvalidArgument, and the old rules stay',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const rules = Array.from({ length: 1001 }, (_, at) => ruleFor(bucket, { id: `rule ${at}` }));
      (await putRules(storage, bucket, ...rules.slice(1))).is(200);
      (await putRules(storage, bucket, ...rules)).fails(400, 'InvalidArgument');
      assert.deepEqual(await rulesOf(storage, bucket), rules.slice(1));
    },
  },
  {
    id: 'json-lifecycle-access',
    name: 'the owner and grantees with FULL_CONTROL can set, read and delete lifecycle rules',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}`;
      (await putRules(storage, bucket, ruleFor(bucket))).is(200);
      const list = { accessControlList: [grant(EVERYBODY, 'READ', 'LIST', 'WRITE', 'MODIFY')] };
      (await putSetting(storage, path, 'acl', list)).is(200);
      const send = (method: string, as: 'bob' | 'anonymous', body = '{') => {
        const sent = method === 'PUT' ? { body } : {};
        return storage.send({ method, path: `${path}?lifecycle`, as, ...sent });
      };
      for (const as of ['bob', 'anonymous'] as const) {
        for (const method of ['PUT', 'GET', 'DELETE']) {
          (await send(method, as)).fails(403, 'AccessDenied');
        }
      }
      assert.deepEqual(await rulesOf(storage, bucket), [ruleFor(bucket)]);
      const full = { accessControlList: [grant(BOB, 'FULL_CONTROL')] };
      (await putSetting(storage, path, 'acl', full)).is(200);
      const other = [ruleFor(bucket, { id: 'bob' })];
      (await send('PUT', 'bob', JSON.stringify({ rule: other }))).is(200);
      assert.deepEqual((await send('GET', 'bob')).is(200).json.rule, other);
      (await send('DELETE', 'bob')).is(204);
    },
  },
];
