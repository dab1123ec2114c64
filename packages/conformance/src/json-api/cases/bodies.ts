import assert from 'node:assert/strict';
import { bytes } from '../../actions/tools.js';
import type { ClientRequest, StorageClient } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';

const MB = 1024 * 1024;

/** Sends a request as raw text; undefined when the server just hung up. */
async function raw(storage: StorageClient, request: string) {
  const wire = await storage.dial();
  await wire.write(request);
  return wire.answer;
}

/** Sends a head, then bytes until the server answers or hangs up, or until all are sent. */
async function pour(storage: StorageClient, head: string, total: number) {
  const wire = await storage.dial();
  let over = false;
  wire.answer.then(() => {
    over = true;
  });
  await wire.write(head);
  const chunk = Buffer.alloc(64 * 1024, 120);
  let sent = 0;
  while (!over && sent < total && wire.socket.writable) {
    await Promise.race([wire.write(chunk), wire.answer]);
    sent += chunk.length;
  }
  return { answer: await wire.answer, sent };
}

export const cases: readonly HttpRule[] = [
  {
    id: 'body-early-refusal',
    name: 'an upload that is refused is answered at once, not after its bytes were taken',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/old`, 'old')).is(200);
      const total = 256 * MB;
      const refusals = [
        [`/${storage.newName()}/key`, '', 404, 'NoSuchBucket'],
        [`/${bucket}/old`, 'If-None-Match: *\r\n', 412, 'PreconditionFailed'],
        [`/${bucket}/${'x'.repeat(1024)}`, '', 400, 'InvalidObjectName'],
        [`/${bucket}/new`, 'x-svc-storage-class: NO\r\n', 400, 'InvalidArgument'],
      ] as const;
      for (const [path, header, status, code] of refusals) {
        const opening = `${storage.opening('PUT', path)}${header}Content-Length: ${total}\r\n\r\n`;
        const { answer, sent } = await pour(storage, opening, total);
        assert.ok(answer, `${code}: the connection was cut without an answer`);
        answer.fails(status, code);
        assert.ok(sent < total / 2, `${code}: ${sent} bytes were taken`);
      }
      assert.equal((await storage.get(`/${bucket}/old`)).is(200).text, 'old');
    },
  },
  {
    id: 'body-access-before-bytes',
    name: 'an upload by a stranger is 403 before its bytes are taken',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const opening = storage.opening('PUT', `/${bucket}/key`).replace('alice', 'bob');
      const total = 256 * MB;
      const head = `${opening}Content-Length: ${total}\r\n\r\n`;
      const { answer, sent } = await pour(storage, head, total);
      assert.ok(answer);
      answer.fails(403, 'AccessDenied');
      assert.ok(sent < total / 2);
    },
  },
  {
    id: 'body-longer-than-announced',
    name: 'bytes behind the announced length are no part of the object',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const opening = storage.opening('PUT', `/${bucket}/key`);
      const answer = await raw(storage, `${opening}Content-Length: 5\r\n\r\nhelloEXTRA BYTES`);
      assert.ok(answer === undefined || answer.status === 200 || answer.status === 400);
      const found = await storage.get(`/${bucket}/key`);
      if (answer?.status === 200 || found.status === 200) {
        assert.equal(found.is(200).text, 'hello');
      }
    },
  },
  {
    id: 'body-two-framings',
    name: 'a request whose length can be read in two ways is refused and stores nothing',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const body = '5\r\nhello\r\n0\r\n\r\n';
      const framings = [
        'Content-Length: 5\r\nTransfer-Encoding: chunked',
        'Transfer-Encoding: chunked\r\nContent-Length: 15',
        'Content-Length: 5\r\nContent-Length: 6',
        'Content-Length: 5\r\nContent-Length: 5',
        'Content-Length: 5, 5',
        'Content-Length: +5',
        'Content-Length: 0x5',
        'Content-Length: 5e0',
        'Content-Length: -5',
        'Content-Length: 5 5',
        'Transfer-Encoding: chunked, identity',
        'Transfer-Encoding: xchunked',
        'Transfer-Encoding: identity',
      ];
      for (const framing of framings) {
        const opening = storage.opening('PUT', `/${bucket}/key`);
        const answer = await raw(storage, `${opening}${framing}\r\n\r\n${body}`);
        assert.ok(answer === undefined || answer.status >= 400, `${framing}: ${answer?.status}`);
      }
      (await storage.head(`/${bucket}/key`)).failsBare(404);
    },
  },
  {
    id: 'body-smuggling',
    name: 'what looks like a request within a body is bytes of the object',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/victim`, 'alive')).is(200);
      const inner = storage.opening('DELETE', `/${bucket}/victim`);
      const text = `0\r\n\r\n${inner}\r\n`;
      (await storage.put(`/${bucket}/text`, text)).is(200);
      const chunked = { 'transfer-encoding': 'chunked' };
      (await storage.put(`/${bucket}/chunks`, [Buffer.from(text)], chunked)).is(200);
      for (const key of ['text', 'chunks']) {
        assert.equal((await storage.get(`/${bucket}/${key}`)).is(200).text, text);
      }
      (await storage.get(`/${bucket}/victim`)).is(200);
    },
  },
  {
    id: 'body-on-get',
    name: 'a read with a body is answered as without it',
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
    name: 'a change with a body that it does not take is 400, and nothing changes',
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
    name: 'one connection serves request after request, refused ones among them',
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
  {
    id: 'body-expect-continue',
    name: 'a client that sends Expect: 100-continue may send its bytes after 100',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const wire = await storage.dial();
      const continued = new Promise((resolve) => wire.socket.once('data', resolve));
      const opening = storage.opening('PUT', `/${bucket}/key`);
      await wire.write(`${opening}Expect: 100-continue\r\nContent-Length: 5\r\n\r\n`);
      await continued;
      await wire.write('hello');
      await wire.answer;
      assert.equal((await storage.get(`/${bucket}/key`)).is(200).text, 'hello');
    },
  },
];
