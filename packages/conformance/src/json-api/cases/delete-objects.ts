import assert from 'node:assert/strict';
import type { Answer, StorageClient } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';

const post = (storage: StorageClient, bucket: string, body: string | Uint8Array): Promise<Answer> =>
  storage.send({ method: 'POST', path: `/${bucket}?delete`, body });

const listed = (...keys: readonly string[]): string =>
  JSON.stringify({ objects: keys.map((key) => ({ key })) });

/** Creates a bucket with the objects `a` and `b`. */
async function bucketOfTwo(storage: StorageClient): Promise<string> {
  const bucket = await storage.newBucket();
  for (const key of ['a', 'b']) (await storage.put(`/${bucket}/${key}`, key)).is(200);
  return bucket;
}

const keysIn = async (storage: StorageClient, bucket: string): Promise<string[]> =>
  (await storage.get(`/${bucket}`)).is(200).json.contents.map(({ key }: { key: string }) => key);

export const cases: readonly HttpRule[] = [
  {
    id: 'json-delete-objects',
    name: 'DeleteMultipleObjects returns 200 without a body if all objects were deleted',
    async prove(storage) {
      const bucket = await bucketOfTwo(storage);
      const answer = (await post(storage, bucket, listed('a', 'b'))).is(200);
      assert.equal(answer.body.length, 0);
      assert.equal(answer.header('content-length'), '0');
      assert.deepEqual(await keysIn(storage, bucket), []);
    },
  },
  {
    id: 'json-delete-objects-limit',
    name: 'a request may list 1,000 objects; more are 400 InvalidArgument, and nothing is deleted',
    async prove(storage) {
      const bucket = await bucketOfTwo(storage);
      const keys = Array.from({ length: 999 }, (_, at) => `no-${at}`);
      const all = (await post(storage, bucket, listed('a', ...keys))).is(200);
      assert.equal(all.json.errors.length, 999);
      const more = await post(storage, bucket, listed('b', 'c', ...keys));
      more.fails(400, 'InvalidArgument');
      assert.deepEqual(await keysIn(storage, bucket), ['b']);
    },
  },
  {
    id: 'delete-objects-spellings',
    name: 'a slash after the bucket, the flag ?delete= and any Content-Type are accepted',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const path of [`/${bucket}?delete`, `/${bucket}?delete=`, `/${bucket}/?delete`]) {
        for (const type of ['text/plain', 'application/octet-stream', 'application/json']) {
          (await storage.put(`/${bucket}/a`)).is(200);
          const headers = { 'content-type': type };
          const body = listed('a');
          (await storage.send({ method: 'POST', path, headers, body })).is(200);
          (await storage.head(`/${bucket}/a`)).failsBare(404);
        }
      }
    },
  },
  {
    id: 'delete-objects-unknown-fields',
    name: 'unknown JSON fields of an object are ignored; unknown top-level fields must be empty',
    async prove(storage) {
      const bucket = await bucketOfTwo(storage);
      const body =
        '{"quiet":true,"__proto__":{"objects":[]},"objects":' +
        '[{"key":"a","note":1,"__proto__":{"key":"b"},"constructor":null}]}';
      assert.equal((await post(storage, bucket, body)).is(200).body.length, 0);
      assert.deepEqual(await keysIn(storage, bucket), ['b']);
      for (const beside of [
        { prefix: 'x' },
        { dryRun: true },
        { confirmed: false },
        { object: [] },
      ]) {
        const limited = JSON.stringify({ objects: [{ key: 'b' }], ...beside });
        (await post(storage, bucket, limited)).fails(400, 'InappropriateJSON');
      }
      assert.deepEqual(await keysIn(storage, bucket), ['b']);
    },
  },
  {
    id: 'delete-objects-malformed',
    name: 'a body that is not JSON in UTF-8 is 400 MalformedJSON, and nothing is deleted',
    async prove(storage) {
      const bucket = await bucketOfTwo(storage);
      const invalid = Buffer.from('{"objects":[{"key":"a\xff"}]}', 'latin1');
      const bodies = [
        '',
        '{',
        '{"objects":[{"key":"a"}]',
        '{objects:[]}',
        "{'objects':[]}",
        invalid,
      ];
      for (const body of bodies) {
        (await post(storage, bucket, body)).fails(400, 'MalformedJSON');
      }
      assert.deepEqual(await keysIn(storage, bucket), ['a', 'b']);
    },
  },
  {
    id: 'delete-objects-inappropriate',
    name: 'JSON that lacks a field or has one of the wrong type is 400 InappropriateJSON',
    async prove(storage) {
      const bucket = await bucketOfTwo(storage);
      const bodies = ['{}', 'null', '1', '"a"', '{"objects":{}}', '{"objects":null}', '[]'];
      const items = ['{}', 'null', '"a"', '{"key":1}', '{"key":null}', '{"key":["a"]}', '[]'];
      for (const item of items) bodies.push(`{"objects":[{"key":"a"},${item}]}`);
      for (const body of [...bodies, '{"object":[{"key":"a"}]}']) {
        (await post(storage, bucket, body)).fails(400, 'InappropriateJSON');
      }
      assert.deepEqual(await keysIn(storage, bucket), ['a', 'b']);
    },
  },
  {
    id: 'delete-objects-deep',
    name: 'deeply nested JSON is rejected like any other with the wrong structure',
    async prove(storage) {
      const bucket = await bucketOfTwo(storage);
      const deep = `{"objects":${'['.repeat(300_000)}${']'.repeat(300_000)}}`;
      const answer = await post(storage, bucket, deep);
      assert.equal(answer.status, 400);
      assert.match(answer.json.code, /^(InappropriateJSON|MalformedJSON)$/);
      assert.deepEqual(await keysIn(storage, bucket), ['a', 'b']);
    },
  },
  {
    id: 'delete-objects-too-long',
    name: 'a body of more than 2 MB is 400 MaxMessageLengthExceeded, with Content-Length or in chunks',
    async prove(storage) {
      const bucket = await bucketOfTwo(storage);
      const long = Buffer.from(listed('a') + ' '.repeat(2 * 1024 * 1024));
      (await post(storage, bucket, long)).fails(400, 'MaxMessageLengthExceeded');
      const answer = await storage.send({
        method: 'POST',
        path: `/${bucket}?delete`,
        headers: { 'transfer-encoding': 'chunked' },
        body: [long],
      });
      answer.fails(400, 'MaxMessageLengthExceeded');
      assert.deepEqual(await keysIn(storage, bucket), ['a', 'b']);
    },
  },
];
