import assert from 'node:assert/strict';
import type { HttpRule } from '../wire/rule.js';

const OVERRIDES = [
  ['responseContentDisposition', 'content-disposition', 'attachment; filename="x y.txt"'],
  ['responseContentType', 'content-type', 'text/plain; charset=utf-8'],
  ['responseContentLanguage', 'content-language', 'fr'],
  ['responseExpires', 'expires', 'Thu, 01 Jan 2060 00:00:00 GMT'],
  ['responseCacheControl', 'cache-control', 'no-store'],
  ['responseContentEncoding', 'content-encoding', 'identity'],
] as const;

/** Characters that could end a header line, or that headers cannot contain. */
const HOSTILE = ['%0D%0AX-Evil:%201', '%0A', '%0D', '%00', 'a%0Bb', 'a%7Fb', '%1B[31m'];

export const cases: readonly HttpRule[] = [
  {
    id: 'json-overrides-all',
    name: 'each of the six response<Header> parameters replaces its header, and no other',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      const others: Readonly<Record<string, string>> = {
        'content-encoding': 'br',
        'cache-control': 'private',
      };
      const stored = OVERRIDES.map(([, name]) => [name, others[name] ?? 'old']);
      (await storage.put(path, 'x', Object.fromEntries(stored))).is(200);
      for (const [parameter, header, value] of OVERRIDES) {
        const answer = await storage.get(`${path}?${parameter}=${encodeURIComponent(value)}`);
        assert.equal(answer.is(200).header(header), value);
        for (const [name = '', old] of stored) {
          if (name === header) continue;
          assert.equal(answer.header(name), old, `${parameter}: ${name}`);
        }
      }
      const query = OVERRIDES.map(([name, , value]) => `${name}=${encodeURIComponent(value)}`);
      const all = (await storage.get(`${path}?${query.join('&')}`)).is(200);
      for (const [, header, value] of OVERRIDES) assert.equal(all.header(header), value);
      assert.equal(all.text, 'x');
    },
  },
  {
    id: 'overrides-hostile',
    name: 'an override that could split the response is 400 InvalidArgument',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key`, 'x')).is(200);
      for (const [parameter] of OVERRIDES) {
        for (const value of HOSTILE) {
          const answer = await storage.get(`/${bucket}/key?${parameter}=${value}`);
          answer.fails(400, 'InvalidArgument');
          assert.equal(answer.header('x-evil'), undefined);
        }
      }
    },
  },
  {
    id: 'overrides-splitting',
    name: 'no text splits the response, not even characters whose last byte is CR or LF',
    async prove(storage) {
      const bucket = await storage.newBucket();
      // U+010D and U+010A lose their first byte where text of 16 bits is sent as 8 bits.
      const value = 'attachment; filename="\u010d\u010aX-Evil: 1"';
      const line = `Content-Disposition: ${Buffer.from(value).toString('latin1')}\r\n`;
      for (const size of [1, 100_000]) {
        const path = `/${bucket}/${size}`;
        const wire = await storage.dial();
        await wire.write(`${storage.opening('PUT', path)}${line}Content-Length: ${size}\r\n\r\n`);
        await wire.write(Buffer.alloc(size));
        (await wire.answer)?.is(200);
        const parameter = `responseContentDisposition=${encodeURIComponent(value)}`;
        for (const answer of [
          await storage.get(path),
          await storage.head(path),
          await storage.get(`${path}?${parameter}`),
        ]) {
          answer.is(200);
          assert.equal(answer.header('x-evil'), undefined, 'the response was split');
          const sent = Buffer.from(answer.header('content-disposition') ?? '', 'latin1');
          assert.equal(sent.toString(), value);
        }
      }
    },
  },
  {
    id: 'overrides-twice',
    name: 'a repeated override is 400 InvalidArgument',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key`, 'x')).is(200);
      const query = 'responseContentType=text/a&responseContentType=text/b';
      (await storage.get(`/${bucket}/key?${query}`)).fails(400, 'InvalidArgument');
    },
  },
];
