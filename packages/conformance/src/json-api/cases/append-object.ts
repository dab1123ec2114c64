import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';
import type { Answer } from '../wire/client.js';
import { base64, md5 } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';
import { cases as offsets } from './append-offsets.js';

/** Asserts what each append returns about the whole object. */
function answers(answer: Answer, whole: Uint8Array): void {
  answer.is(200);
  assert.equal(answer.body.length, 0);
  assert.equal(answer.header('content-length'), '0');
  assert.equal(answer.header('etag'), `"${md5(whole)}"`);
  assert.equal(answer.header('content-md5'), base64(md5(whole)));
  assert.equal(answer.header('x-svc-next-append-offset'), String(whole.length));
  assert.equal(answer.header('x-svc-content-crc32'), String(crc32(whole)));
  assert.ok(answer.header('x-svc-request-id'));
}

export const cases: readonly HttpRule[] = [
  {
    id: 'json-append-create',
    name: 'AppendObject without offset creates an appendable object',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const [key, flag] of [
        ['a', '?append'],
        ['b', '?append='],
      ]) {
        const path = `/${bucket}/${key}`;
        const data = Buffer.from('123456789');
        answers(await storage.send({ method: 'POST', path: path + flag, body: data }), data);
        const got = (await storage.get(path)).is(200);
        assert.equal(got.text, '123456789');
        for (const found of [(await storage.head(path)).is(200), got]) {
          assert.equal(found.header('x-svc-object-type'), 'Appendable');
          assert.equal(found.header('x-svc-next-append-offset'), '9');
          assert.equal(found.header('content-length'), '9');
          assert.equal(found.header('content-md5'), base64(md5(data)));
          assert.equal(found.header('etag'), `"${md5(data)}"`);
        }
      }
    },
  },
  ...offsets,
];
