import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Case } from '../case.js';
import { codeOf } from '../failure.js';
import { openingOf, putOpening, refused, sendBody, write } from '../raw.js';
import { absent, textOf } from '../tools.js';

const GB = 1024 ** 3;
/** In bytes: more than a server may read of an upload that it rejects. */
const TOTAL = 256 * 1024 * 1024;

const FRAMINGS = [
  'Content-Length: 5\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nContent-Length: 15',
  'Content-Length: 5\r\nContent-Length: 6',
  'Content-Length: 5\r\nContent-Length: 5',
  ...['5, 5', '+5', '0x5', '5e0', '-5', '5 5'].map((length) => `Content-Length: ${length}`),
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: identity',
];

export const cases: readonly Case[] = [
  {
    id: 'put-object-no-length',
    name: 'a body with neither Content-Length nor chunks is 411 MissingContentLength',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const wire = await write(await putOpening(alice, bucket, 'key'), '\r\n');
      const { http } = refused(alice, await wire.answer, 'MissingContentLength');
      assert.equal(http.status, 411);
      await absent(alice, bucket, 'key');
    },
  },
  {
    id: 'put-object-too-large',
    name: 'more than 5 GB is 400 EntityTooLarge, before the bytes are sent',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (const length of [5 * GB + 1, 999_999_999_999_999]) {
        const opening = await putOpening(alice, bucket, 'large');
        const wire = await write(opening, `Content-Length: ${length}\r\n\r\n`);
        refused(alice, await wire.answer, 'EntityTooLarge');
      }
      await absent(alice, bucket, 'large');
    },
  },
  {
    id: 'upload-part-too-large',
    name: 'a part of more than 5 GB is 400 EntityTooLarge, before the bytes are sent',
    async prove({ alice, newBucket }) {
      const upload = await alice.initiateUpload(await newBucket(), 'key');
      const opening = await openingOf(alice, (client) => client.uploadPart(upload, 1, ''));
      const wire = await write(opening, `Content-Length: ${5 * GB + 1}\r\n\r\n`);
      refused(alice, await wire.answer, 'EntityTooLarge');
    },
  },
  {
    id: 'append-too-large',
    name: 'appending to more than 5 GB is 400 EntityTooLarge, in one append or in total',
    needs: ['append'],
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.appendObject(bucket, 'log', 'some');
      for (const [offset, length] of [
        [undefined, 5 * GB + 1],
        [4, 5 * GB - 3],
      ] as const) {
        const append = openingOf(alice, (one) => one.appendObject(bucket, 'log', '', offset));
        const wire = await write(await append, `Content-Length: ${length}\r\n\r\n`);
        refused(alice, await wire.answer, 'EntityTooLarge');
      }
      assert.equal(await textOf(alice, bucket, 'log'), 'some');
    },
  },
  {
    id: 'body-early-refusal',
    name: 'a rejected upload gets a response at once, not after its body has been read',
    async prove({ alice, newBucket, newName, traits }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'old', 'old');
      const long = 'x'.repeat(traits.maxKeyBytes + 1);
      const create = { conditions: { ifNoneMatch: '*' } };
      const refusals = [
        [newName(), 'key', {}, 'NoSuchBucket'],
        [bucket, 'old', create, 'PreconditionFailed'],
        [bucket, long, {}, 'InvalidObjectName'],
        [bucket, 'new', { storageClass: 'NO' }, 'InvalidArgument'],
      ] as const;
      for (const [target, key, options, code] of refusals) {
        const opening = await putOpening(alice, target, key, options);
        const { answer, sent } = await sendBody(opening, TOTAL);
        refused(alice, answer, code);
        assert.ok(sent < TOTAL / 2, `${code}: ${sent} bytes were read`);
      }
      assert.equal(await textOf(alice, bucket, 'old'), 'old');
    },
  },
  {
    id: 'body-access-before-bytes',
    name: 'an upload by another user is 403 before its body is read',
    async prove({ bob, newBucket }) {
      const { answer, sent } = await sendBody(
        await putOpening(bob, await newBucket(), 'key'),
        TOTAL,
      );
      refused(bob, answer, 'AccessDenied');
      assert.ok(sent < TOTAL / 2);
    },
  },
  {
    id: 'body-longer-than-announced',
    name: 'bytes after the announced length do not become part of the object',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const opening = await putOpening(alice, bucket, 'key');
      const wire = await write(opening, 'Content-Length: 5\r\n\r\nhelloEXTRA BYTES');
      const answer = await wire.answer;
      assert.ok(answer === undefined || answer.status === 200 || answer.status === 400);
      const stored = (await codeOf(alice.headObject(bucket, 'key'))) === 'done';
      if (answer?.status === 200 || stored) {
        assert.equal(await textOf(alice, bucket, 'key'), 'hello');
      }
    },
  },
  {
    id: 'body-two-framings',
    name: 'a request with an ambiguous length is rejected and stores nothing',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (const framing of FRAMINGS) {
        const opening = await putOpening(alice, bucket, 'key');
        const wire = await write(opening, `${framing}\r\n\r\n5\r\nhello\r\n0\r\n\r\n`);
        const answer = await wire.answer;
        assert.ok(answer === undefined || answer.status >= 400, `${framing}: ${answer?.status}`);
      }
      await absent(alice, bucket, 'key');
    },
  },
  {
    id: 'transfer-encoding',
    name: 'a Transfer-Encoding other than chunked is 501 NotImplemented, and nothing is stored',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (const coding of ['gzip, chunked', 'identity, chunked', 'chunked, chunked']) {
        const opening = await putOpening(alice, bucket, 'key');
        const head = `Transfer-Encoding: ${coding}\r\n\r\n`;
        const answer = await (await write(opening, `${head}1\r\nx\r\n0\r\n\r\n`)).answer;
        assert.ok(answer?.status === 501 || answer?.status === 400, `${coding}: ${answer?.status}`);
      }
      await absent(alice, bucket, 'key');
    },
  },
  {
    id: 'body-smuggling',
    name: 'text in a body that looks like a request is stored as data',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'victim', 'alive');
      const inner = await openingOf(alice, (client) => client.deleteObject(bucket, 'victim'));
      const text = `0\r\n\r\n${inner.lines}\r\n`;
      await alice.putObject(bucket, 'text', text);
      await alice.putObject(bucket, 'chunks', [Buffer.from(text)]);
      for (const key of ['text', 'chunks']) assert.equal(await textOf(alice, bucket, key), text);
      assert.equal(await textOf(alice, bucket, 'victim'), 'alive');
    },
  },
  {
    id: 'body-expect-continue',
    name: 'a client that sends Expect: 100-continue may send its bytes after 100',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const opening = await putOpening(alice, bucket, 'key');
      const wire = await write(opening, 'Expect: 100-continue\r\nContent-Length: 5\r\n');
      const continued = once(wire.socket, 'data');
      await wire.write('\r\n');
      await continued;
      await wire.write('hello');
      await wire.answer;
      assert.equal(await textOf(alice, bucket, 'key'), 'hello');
    },
  },
];
