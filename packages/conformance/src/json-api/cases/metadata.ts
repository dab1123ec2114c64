import assert from 'node:assert/strict';
import type { HttpRule } from '../wire/rule.js';

const LIMIT = 2048;

export const cases: readonly HttpRule[] = [
  {
    id: 'json-metadata-round-trip',
    name: 'x-svc-meta-* with any suffix is stored, and returned with the name in lower case; an empty value is ignored',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      const given = {
        'X-Svc-Meta-Some-Name': 'Some Value',
        'x-svc-meta-0._~!': '=',
        'x-svc-meta-empty': '',
      };
      (await storage.put(path, 'x', given)).is(200);
      for (const answer of [await storage.get(path), await storage.head(path)]) {
        assert.equal(answer.header('x-svc-meta-some-name'), 'Some Value');
        assert.equal(answer.header('x-svc-meta-0._~!'), '=');
        assert.equal(answer.header('x-svc-meta-empty'), undefined);
        const names = answer.rawHeaders.filter((_, at) => at % 2 === 0);
        assert.ok(names.includes('x-svc-meta-some-name'));
      }
    },
  },
  {
    id: 'json-metadata-none',
    name: 'x-svc-meta-* is returned only if there is user metadata',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key`, 'x')).is(200);
      const { rawHeaders } = (await storage.get(`/${bucket}/key`)).is(200);
      assert.ok(!rawHeaders.some((text) => text.toLowerCase().startsWith('x-svc-meta')));
    },
  },
  {
    id: 'metadata-trimmed',
    name: 'spaces around a metadata value are trimmed',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const wire = await storage.dial();
      const opening = storage.opening('PUT', `/${bucket}/key`);
      await wire.write(`${opening}x-svc-meta-a: \t  a  b \t \r\nContent-Length: 0\r\n\r\n`);
      (await wire.answer)?.is(200);
      assert.equal((await storage.head(`/${bucket}/key`)).is(200).header('x-svc-meta-a'), 'a  b');
    },
  },
  {
    id: 'json-metadata-limit',
    name: 'user metadata may have 2 KB in total, including names; more is 400 MetadataTooLarge',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      const names = ['x-svc-meta-one', 'x-svc-meta-two'] as const;
      const first = 'a'.repeat(900);
      const rest = LIMIT - names.join('').length - first.length;
      const metadata = (size: number) => ({ [names[0]]: first, [names[1]]: 'b'.repeat(size) });
      (await storage.put(path, 'fits', metadata(rest))).is(200);
      assert.equal((await storage.head(path)).header(names[1])?.length, rest);
      (await storage.put(path, 'no', metadata(rest + 1))).fails(400, 'MetadataTooLarge');
      const many = Array.from({ length: 120 }, (_, at) => [`x-svc-meta-${at}`, 'value']);
      (await storage.put(path, 'no', Object.fromEntries(many))).fails(400, 'MetadataTooLarge');
      assert.equal((await storage.get(path)).text, 'fits');
    },
  },
  {
    id: 'metadata-bytes',
    name: 'metadata values keep their bytes unchanged, whatever the encoding',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      const high = Array.from({ length: 128 }, (_, at) => String.fromCharCode(128 + at)).join('');
      const utf8 = Buffer.from('grün 你好 😀').toString('latin1');
      const given = { 'x-svc-meta-high': high, 'x-svc-meta-utf8': utf8 };
      (await storage.put(path, 'x', given)).is(200);
      for (const answer of [await storage.get(path), await storage.head(path)]) {
        assert.equal(answer.header('x-svc-meta-utf8'), utf8);
        // U+00A0 at the start and U+00FF at the end are bytes like any other, not white space.
        assert.equal(answer.header('x-svc-meta-high'), high);
      }
    },
  },
  {
    id: 'metadata-nbsp',
    name: 'only spaces and tabs are trimmed: a byte A0 at the end belongs to the value',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const utf8 = Buffer.from('voilà').toString('latin1'); // Ends in the bytes C3 A0.
      (await storage.put(`/${bucket}/key`, 'x', { 'x-svc-meta-a': utf8 })).is(200);
      assert.equal((await storage.head(`/${bucket}/key`)).is(200).header('x-svc-meta-a'), utf8);
    },
  },
  {
    id: 'metadata-reserved',
    name: 'metadata cannot replace a header of the service',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const own = { 'x-svc-object-type': 'Appendable' };
      (await storage.put(`/${bucket}/key`, 'x', own)).fails(400, 'InvalidArgument');
      const given = { 'x-svc-request-id': 'mine', etag: '"no"' };
      (await storage.put(`/${bucket}/key`, 'x', given)).is(200);
      const answer = (await storage.get(`/${bucket}/key`)).is(200);
      assert.notEqual(answer.header('x-svc-request-id'), 'mine');
      assert.equal(answer.header('x-svc-object-type'), undefined);
      assert.notEqual(answer.header('etag'), '"no"');
    },
  },
  {
    id: 'metadata-no-name',
    name: 'x-svc-meta- without a name is 400 InvalidArgument',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const answer = await storage.put(`/${bucket}/key`, 'x', { 'x-svc-meta-': 'v' });
      answer.fails(400, 'InvalidArgument');
      (await storage.head(`/${bucket}/key`)).failsBare(404);
    },
  },
];
