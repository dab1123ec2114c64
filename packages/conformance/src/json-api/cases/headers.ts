import assert from 'node:assert/strict';
import type { StorageClient } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';

/** Sends a raw request of alice with the given header lines. */
async function call(
  storage: StorageClient,
  method: string,
  path: string,
  lines: readonly string[],
  body = '',
) {
  const wire = await storage.dial();
  const length = method === 'PUT' ? `Content-Length: ${body.length}\r\n` : '';
  const headers = lines.map((line) => `${line}\r\n`).join('');
  await wire.write(`${storage.opening(method, path)}${headers}${length}\r\n${body}`);
  const answer = await wire.answer;
  assert.ok(answer, 'the connection ended without a response');
  return answer;
}

export const cases: readonly HttpRule[] = [
  {
    id: 'headers-two-hosts',
    name: 'two Host headers are 400 (RFC 9112 section 3.2), even if they are equal',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key`, 'x')).is(200);
      for (const host of ['evil.example', new URL(storage.server.url).host]) {
        const answer = await call(storage, 'GET', `/${bucket}/key`, [`Host: ${host}`]);
        answer.is(400);
      }
      (await call(storage, 'PUT', `/${bucket}/key`, ['hOST: other'], 'no')).is(400);
      assert.equal((await storage.get(`/${bucket}/key`)).is(200).text, 'x');
    },
  },
  {
    id: 'headers-too-many',
    name: 'more headers than the server parses are 400, so that none is overlooked',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const many = Array.from({ length: 1100 }, () => 'a: 1');
      const hidden = [...many, 'Content-MD5: AAAAAAAAAAAAAAAAAAAAAA=='];
      const answer = await call(storage, 'PUT', `/${bucket}/key`, hidden, 'x');
      assert.ok(answer.status === 400 || answer.status === 431, `${answer.status}`);
      (await storage.head(`/${bucket}/key`)).failsBare(404);
      (await call(storage, 'PUT', `/${bucket}/key`, many.slice(0, 900), 'x')).is(200);
    },
  },
  {
    id: 'headers-too-large',
    name: 'headers of 100 KB are rejected, and the server continues',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const wire = await storage.dial();
      const opening = storage.opening('PUT', `/${bucket}/key`);
      await wire.write(`${opening}x-svc-meta-a: ${'a'.repeat(100_000)}\r\n\r\n`);
      const status = (await wire.answer)?.status;
      assert.ok(status === undefined || status === 431 || status === 400, `${status}`);
      (await storage.head(`/${bucket}`)).is(200);
      (await storage.head(`/${bucket}/key`)).failsBare(404);
    },
  },
  {
    id: 'headers-twice-put',
    name: 'repeating a header that may have only one value is 400, and nothing is stored',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const md5 = 'XUFAKrxLKna5cZ2REBfFkg==';
      const sha256 = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
      const doubled = [
        `Content-MD5: ${md5}`,
        `x-svc-content-sha256: ${sha256}`,
        'x-svc-content-crc32: 907060870',
        'x-svc-storage-class: COLD',
        'Content-Type: text/plain',
        'Content-Encoding: identity',
        'Cache-Control: no-cache',
        'x-svc-meta-a: 1',
        'x-svc-forbid-overwrite: true',
      ];
      for (const line of doubled) {
        const again = line.replace(/^(\w)/, (letter) => letter.toUpperCase());
        const answer = await call(storage, 'PUT', `/${bucket}/key`, [line, again], 'hello');
        answer.fails(400, 'InvalidHTTPRequest');
      }
      (await storage.head(`/${bucket}/key`)).failsBare(404);
      (await call(storage, 'PUT', `/${bucket}/key`, doubled, 'hello')).is(200);
    },
  },
  {
    id: 'headers-twice-get',
    name: 'a repeated Range or date condition is 400',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key`, '0123456789')).is(200);
      const date = 'Sun, 06 Nov 1994 08:49:37 GMT';
      for (const name of ['If-Modified-Since', 'If-Unmodified-Since']) {
        const lines = [`${name}: ${date}`, `${name}: ${date}`];
        const answer = await call(storage, 'GET', `/${bucket}/key`, lines);
        answer.fails(400, 'InvalidHTTPRequest');
      }
      const ranges = ['Range: bytes=0-1', 'range: bytes=0-1'];
      (await call(storage, 'GET', `/${bucket}/key`, ranges)).fails(400, 'InvalidHTTPRequest');
    },
  },
  {
    id: 'headers-lists',
    name: 'If-Match and If-None-Match are lists, and may be sent in several lines',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const etag = (await storage.put(`/${bucket}/key`, 'x')).is(200).header('etag');
      const other = '"00000000000000000000000000000000"';
      const match = [`If-Match: ${other}`, `If-Match: ${etag}`];
      (await call(storage, 'GET', `/${bucket}/key`, match)).is(200);
      const none = [`If-None-Match: ${etag}`, `If-None-Match: ${other}`];
      (await call(storage, 'GET', `/${bucket}/key`, none)).is(304);
    },
  },
  {
    id: 'headers-proto',
    name: 'headers named __proto__ or constructor are harmless',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const lines = ['__proto__: x', '__proto__: y', 'constructor: x', 'toString: x'];
      (await call(storage, 'PUT', `/${bucket}/key`, lines, 'hello')).is(200);
      const answer = await call(storage, 'GET', `/${bucket}/key?__proto__=1&constructor=2`, lines);
      assert.equal(answer.is(200).text, 'hello');
    },
  },
  {
    id: 'headers-control',
    name: 'a header value with control characters is rejected, so that it is never returned',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const code of [0, 1, 8, 11, 12, 27, 127]) {
        for (const name of ['x-svc-meta-a', 'Content-Type', 'Content-Disposition']) {
          const line = `${name}: a${String.fromCharCode(code)}b`;
          (await call(storage, 'PUT', `/${bucket}/key`, [line], 'x')).is(400);
        }
      }
      (await storage.head(`/${bucket}/key`)).failsBare(404);
      const tab = ['x-svc-meta-a: a\tb'];
      (await call(storage, 'PUT', `/${bucket}/key`, tab, 'x')).is(200);
      assert.equal((await storage.get(`/${bucket}/key`)).is(200).header('x-svc-meta-a'), 'a\tb');
    },
  },
  {
    id: 'headers-stored-bytes',
    name: 'stored headers keep their bytes unchanged',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const utf8 = Buffer.from('attachment; filename="grün 报告.txt"').toString('latin1');
      const latin = 'attachment; filename="gr\xfcn.txt"';
      for (const value of [utf8, latin]) {
        const line = `Content-Disposition: ${value}`;
        (await call(storage, 'PUT', `/${bucket}/key`, [line], 'x')).is(200);
        for (const method of ['GET', 'HEAD'] as const) {
          const answer = await call(storage, method, `/${bucket}/key`, []);
          assert.equal(answer.is(200).header('content-disposition'), value);
        }
      }
    },
  },
  {
    id: 'headers-absolute-form',
    name: 'a request target in absolute form never reaches an object by another path',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key`, 'x')).is(200);
      const { host, pathname } = new URL(storage.server.url);
      const wire = await storage.dial();
      const target = `http://evil.example${pathname}/${bucket}/key`;
      const headers = `Host: ${host}\r\nAuthorization: Bearer alice\r\nConnection: close`;
      await wire.write(`DELETE ${target} HTTP/1.1\r\n${headers}\r\n\r\n`);
      const answer = await wire.answer;
      assert.ok(answer && answer.status >= 200);
      if (answer.status >= 400) (await storage.get(`/${bucket}/key`)).is(200);
    },
  },
];
