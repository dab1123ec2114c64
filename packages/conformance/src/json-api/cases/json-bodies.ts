import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { HttpRule } from '../wire/rule.js';

const list = (key: string) => JSON.stringify({ objects: [{ key }] });
const digest = (name: string, text: string, as: 'hex' | 'base64') =>
  createHash(name).update(text).digest(as);

export const cases: readonly HttpRule[] = [
  {
    id: 'json-digests',
    name: 'Content-MD5 and SHA-256 of a JSON body are verified',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key`, 'x')).is(200);
      const [body, other] = [list('key'), list('other')];
      const remove = (headers: Readonly<Record<string, string>>) =>
        storage.send({ method: 'POST', path: `/${bucket}?delete`, body, headers });
      for (const text of [other, '']) {
        const md5 = { 'content-md5': digest('md5', text, 'base64') };
        (await remove(md5)).fails(400, 'BadDigest');
        const sha256 = { 'x-svc-content-sha256': digest('sha256', text, 'hex') };
        (await remove(sha256)).fails(400, 'BadDigest');
      }
      (await storage.head(`/${bucket}/key`)).is(200);
      const right = {
        'content-md5': digest('md5', body, 'base64'),
        'x-svc-content-sha256': digest('sha256', body, 'hex'),
      };
      (await remove(right)).is(200);
      (await storage.head(`/${bucket}/key`)).failsBare(404);
    },
  },
  {
    id: 'json-nesting',
    name: 'JSON with more than 100 levels of nesting is 400 InappropriateJSON; brackets in text do not count',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const send = (body: string) =>
        storage.send({ method: 'POST', path: `/${bucket}?delete`, body });
      const nested = (depth: number) =>
        `{"objects":[{"key":"a"}],"unknown":${'['.repeat(depth)}${']'.repeat(depth)}}`;
      (await send(nested(99))).is(200);
      (await send(nested(100))).fails(400, 'InappropriateJSON');
      (await send(`{"objects":[{"key":"a"}],"unknown":${'{"a":'.repeat(100)}1`)).fails(
        400,
        'InappropriateJSON',
      );
      (await send('['.repeat(1_000_000))).fails(400, 'InappropriateJSON');
      for (const key of ['['.repeat(300), `\\"${'{'.repeat(300)}`, `${'['.repeat(200)}\\\\`]) {
        const answer = (await send(`{"objects":[{"key":"${key}"}]}`)).is(200);
        assert.equal(answer.json.errors[0].code, 'NoSuchKey');
      }
    },
  },
  {
    id: 'json-batch-for-nobody',
    name: 'a batch by a caller who may delete nothing is 403 before its body is read',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const as of ['bob', 'anonymous'] as const) {
        for (const body of [list('key'), 'no JSON']) {
          const answer = await storage.send({
            method: 'POST',
            path: `/${bucket}?delete`,
            as,
            body,
          });
          answer.fails(403, 'AccessDenied');
        }
      }
    },
  },
];
