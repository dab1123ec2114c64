import assert from 'node:assert/strict';
import type { Case, CaseContext } from '../case.js';
import { fails } from '../failure.js';
import { absent, assertHas, bodyOf, bytes, md5, textOf, unauthorizedClients } from '../tools.js';
import type { Body, PutOptions } from '../values.js';
import { cases as offsets } from './append-offsets.js';
import { assertWritten } from './put-object.js';

const MB = 1024 * 1024;

/** Appends to `log`, and asserts what each append returns about the whole object. */
async function appender(context: CaseContext) {
  const { alice } = context;
  const bucket = await context.newBucket();
  const append = async (
    body: Body,
    whole: string | Uint8Array,
    offset?: number,
    options?: PutOptions,
  ): Promise<void> => {
    const written = await alice.appendObject(bucket, 'log', body, offset, options);
    assertWritten(context, written, whole);
    assert.equal(written.appendOffset, Buffer.byteLength(whole));
  };
  return { alice, bucket, append };
}

const FIRST: PutOptions = {
  metadata: { a: 'first' },
  contentType: 'text/x-log',
  cacheControl: 'private',
  contentDisposition: 'inline',
  expires: 'Sat, 01 Jan 2050 00:00:00 GMT',
  storageClass: 'STANDARD_IA',
};

const LATER: PutOptions = {
  metadata: { a: 'later', b: 'later' },
  contentType: 'text/plain',
  cacheControl: 'no-store',
  contentEncoding: 'identity',
  storageClass: 'COLD',
};

const all: readonly Case[] = [
  {
    id: 'append-create',
    name: 'AppendObject without offset creates an appendable object',
    async prove(context) {
      const { alice, bucket, append } = await appender(context);
      const data = '123456789';
      await append(data, data);
      const head = await alice.headObject(bucket, 'log');
      assertHas(head, { appendOffset: 9, size: 9 });
      assertWritten(context, head, data);
      assert.equal(await textOf(alice, bucket, 'log'), data);
    },
  },
  {
    id: 'append-grows',
    name: 'each append returns ETag, MD5, crc32 and next offset of the whole object',
    async prove(context) {
      const { alice, bucket, append } = await appender(context);
      const sizes = [1, 65_536, MB - 1, MB, MB + 1, 0, 3 * MB, 1, 65_537];
      let whole = Buffer.alloc(0);
      for (const piece of sizes.map(bytes)) {
        const offset = whole.length === 0 ? undefined : whole.length;
        whole = Buffer.concat([whole, piece]);
        await append(piece, whole, offset);
        assertHas(await alice.headObject(bucket, 'log'), { etag: md5(whole) });
      }
      assert.ok((await bodyOf(alice, bucket, 'log')).equals(whole));
      const range = `bytes=${MB - 5}-${2 * MB + 70_000}`;
      const { body } = await alice.getObject(bucket, 'log', { range });
      assert.ok(body.equals(whole.subarray(MB - 5, 2 * MB + 70_001)));
    },
  },
  {
    id: 'append-many',
    name: 'an object made of many small and large appends is returned complete',
    async prove(context) {
      const { alice, bucket, append } = await appender(context);
      let whole = Buffer.from('begin');
      await append(whole, whole);
      for (let at = 0; at < 70; at++) {
        const piece = at % 10 === 9 ? Buffer.alloc(1_100_000, at) : Buffer.from(`line ${at}\n`);
        const next = Buffer.concat([whole, piece]);
        await append(piece, next, whole.length);
        whole = next;
      }
      assert.ok((await bodyOf(alice, bucket, 'log')).equals(whole));
    },
  },
  {
    id: 'append-chunked',
    name: 'the data of an append may be sent in chunks',
    async prove(context) {
      const { alice, bucket, append } = await appender(context);
      const [first, second] = [
        [bytes(70_000), bytes(3)],
        [bytes(1), bytes(1_200_000)],
      ];
      await append(first, Buffer.concat(first));
      const whole = Buffer.concat([...first, ...second]);
      await append(second, whole, 70_003);
      await append([], whole, whole.length);
      assert.ok((await bodyOf(alice, bucket, 'log')).equals(whole));
    },
  },
  {
    id: 'append-overwrites',
    name: 'without an offset, an object of any type is overwritten, not appended to',
    async prove(context) {
      const { alice, bucket, append } = await appender(context);
      await alice.putObject(bucket, 'log', bytes(70_000), { metadata: { a: 'put' } });
      await append('one', 'one', undefined, { metadata: { b: '1' } });
      await append('two', 'two', undefined, { metadata: { c: '2' } });
      assertHas(await alice.getObject(bucket, 'log'), { text: 'two', metadata: { c: '2' } });
      assertHas(await alice.headObject(bucket, 'log'), { appendOffset: 3 });
      assert.deepEqual((await alice.listObjects(bucket)).keys, ['log']);
    },
  },
  {
    id: 'append-empty',
    name: 'an empty object can be created, overwritten and appended to',
    async prove(context) {
      const { alice, bucket, append } = await appender(context);
      await append('', '');
      await append('', '');
      assertHas(await alice.headObject(bucket, 'log'), { appendOffset: 0 });
      assert.equal((await bodyOf(alice, bucket, 'log')).length, 0);
      await append('', '', 0);
      await append('x', 'x', 0);
      await append('', '');
    },
  },
  {
    id: 'append-nothing',
    name: 'an empty append at the right offset leaves the object unchanged',
    async prove(context) {
      const { alice, bucket, append } = await appender(context);
      await append('some', 'some', undefined, { metadata: { a: '1' } });
      const { http: _, ...before } = await alice.headObject(bucket, 'log');
      await append('', 'some', 4, { metadata: { a: '2' } });
      const { http: __, ...after } = await alice.headObject(bucket, 'log');
      assert.deepEqual(after, before);
    },
  },
  {
    id: 'append-metadata',
    name: 'headers and metadata are stored by the first call, and ignored in later ones',
    async prove(context) {
      const { alice, bucket, append } = await appender(context);
      await append('one', 'one', undefined, FIRST);
      await append('two', 'onetwo', 3, LATER);
      assertHas(await alice.getObject(bucket, 'log'), { ...FIRST, contentEncoding: undefined });
    },
  },
  {
    id: 'append-archive',
    name: 'an appendable object cannot have the storage class ARCHIVE',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (const storageClass of ['ARCHIVE', 'archive', 'none']) {
        const append = alice.appendObject(bucket, 'log', 'x', undefined, { storageClass });
        await fails(append, 'InvalidArgument', storageClass);
      }
      await absent(alice, bucket, 'log');
    },
  },
  {
    id: 'append-put-object',
    name: 'PutObject turns an appendable object into a normal one, without type and offset',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.appendObject(bucket, 'log', 'one');
      await alice.putObject(bucket, 'log', 'two');
      assertHas(await alice.headObject(bucket, 'log'), { appendOffset: undefined });
      assertHas(await alice.getObject(bucket, 'log'), { appendOffset: undefined, text: 'two' });
      await fails(alice.appendObject(bucket, 'log', 'x', 3), 'ObjectUnappendable');
      assert.equal(await textOf(alice, bucket, 'log'), 'two');
    },
  },
  {
    id: 'append-delete',
    name: 'after an appendable object is deleted, the next append creates a new one',
    async prove(context) {
      const { alice, bucket, append } = await appender(context);
      await append('one', 'one');
      await alice.deleteObject(bucket, 'log');
      await fails(alice.appendObject(bucket, 'log', 'two', 3), 'NoSuchKey');
      await append('new', 'new');
    },
  },
  {
    id: 'append-refused',
    name: 'a missing bucket is NoSuchBucket; other users and anonymous callers get 403 and append nothing',
    async prove(context) {
      const { alice } = context;
      await fails(alice.appendObject(context.newName(), 'log', 'x'), 'NoSuchBucket');
      const bucket = await context.newBucket();
      await alice.appendObject(bucket, 'log', 'mine');
      for (const client of unauthorizedClients(context)) {
        for (const offset of [undefined, 4, 1]) {
          await fails(client.appendObject(bucket, 'log', 'stolen', offset), 'AccessDenied');
        }
      }
      assert.equal(await textOf(alice, bucket, 'log'), 'mine');
    },
  },
];

export const cases: readonly Case[] = [...offsets, ...all].map((one) => ({
  ...one,
  needs: ['append'],
}));
