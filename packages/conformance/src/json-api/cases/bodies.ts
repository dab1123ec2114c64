import assert from 'node:assert/strict';
import { bytes } from '../../actions/tools.js';
import type { ClientRequest } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';

export const cases: readonly HttpRule[] = [
  {
    id: 'body-on-get',
    name: 'a read with a body gets the same response as without it',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      (await storage.put(path, 'x')).is(200);
      for (const body of ['{"objects":[{"key":"key"}]}', bytes(100_000)]) {
        assert.equal((await storage.send({ method: 'GET', path, body })).is(200).text, 'x');
        (await storage.send({ method: 'GET', path: `/${bucket}`, body })).is(200);
      }
    },
  },
  {
    id: 'body-not-taken',
    name: 'a change with an unexpected body is 400, and nothing changes',
    async prove(storage) {
      const [bucket, fresh] = [await storage.newBucket(), storage.newName()];
      const path = `/${bucket}/key`;
      (await storage.put(path, 'whole')).is(200);
      const { uploadId } = (await storage.send({ method: 'POST', path: `${path}?uploads` })).json;
      const copy = { 'x-svc-copy-source': path };
      const requests: readonly ClientRequest[] = [
        { method: 'DELETE', path },
        { method: 'DELETE', path: `/${bucket}?cors` },
        { method: 'POST', path: `${path}?uploads` },
        { method: 'DELETE', path: `${path}?uploadId=${uploadId}` },
        { method: 'PUT', path: `/${bucket}/copy`, headers: copy },
        { method: 'PUT', path: `${path}?partNumber=1&uploadId=${uploadId}`, headers: copy },
        { method: 'POST', path: `/${bucket}/copy`, headers: { 'x-svc-rename-key': 'key' } },
      ];
      for (const request of requests) {
        for (const framing of [{}, { 'transfer-encoding': 'chunked' }]) {
          const headers = { ...request.headers, ...framing };
          const answer = await storage.send({ ...request, headers, body: 'bytes' });
          answer.fails(400, 'InvalidArgument');
        }
      }
      (await storage.head(`/${bucket}/copy`)).failsBare(404);
      (await storage.get(`${path}?uploadId=${uploadId}`)).is(200);
      (await storage.put(`/${fresh}`, 'bytes')).fails(400, 'MalformedJSON');
      const chunked = { 'transfer-encoding': 'chunked' };
      (await storage.send({ method: 'DELETE', path: `/${bucket}?cors`, headers: chunked })).is(204);
      (await storage.head(`/${fresh}`)).failsBare(404);
      assert.equal((await storage.get(path)).is(200).text, 'whole');
    },
  },
  {
    id: 'body-keep-alive',
    name: 'one connection serves many requests, including rejected ones',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const wire = await storage.dial();
      const call = (method: string, path: string, body: string) =>
        storage.opening(method, path).replace('Connection: close\r\n', '') +
        `Content-Length: ${body.length}\r\n\r\n${body}`;
      const closing = `${storage.opening('GET', `/${bucket}/b`)}\r\n`;
      await wire.write(
        call('PUT', `/${bucket}/a`, 'one') +
          call('PUT', `/${bucket}/a%zz`, 'no') +
          call('GET', `/${bucket}/no`, '') +
          call('PUT', `/${bucket}/b`, 'two') +
          closing,
      );
      assert.equal((await wire.answer)?.status, 200);
      assert.equal((await storage.get(`/${bucket}/a`)).is(200).text, 'one');
      assert.equal((await storage.get(`/${bucket}/b`)).is(200).text, 'two');
    },
  },
];
