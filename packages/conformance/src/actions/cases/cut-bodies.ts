import assert from 'node:assert/strict';
import type { Wire } from '../../http/wire.js';
import type { Case, CaseContext } from '../case.js';
import { openingOf, putOpening, write } from '../raw.js';
import { absent, assertHas, bytes, part, textOf } from '../tools.js';

/** How a connection ends: it is half-closed, or reset. */
const ENDINGS = {
  end: (wire: Wire) => wire.socket.end(),
  reset: (wire: Wire) => wire.socket.resetAndDestroy(),
} as const;

/** How many bytes of a small or a large body arrive before the connection ends. */
const SENT = [0, 1, 99, 70_000, 199_999];
const WHOLE = 200_000;

type Rest = string | Uint8Array;

/** Makes uploads that break off, and checks that the old object stays. */
async function breaker({ alice, newBucket }: CaseContext, old: Uint8Array) {
  const bucket = await newBucket();
  await alice.putObject(bucket, 'old', old, { metadata: { who: 'old' } });

  /** Starts an upload that breaks off, and waits until the server has handled it. */
  const breakOff = async (key: string, rest: Rest, ending: keyof typeof ENDINGS) => {
    const wire = await write(await putOpening(alice, bucket, key), rest);
    ENDINGS[ending](wire);
    const answer = await wire.answer;
    assert.ok(answer === undefined || answer.status >= 400, `answered ${answer?.status}`);
  };
  /** Makes a complete upload after the broken ones: when it has ended, they have been handled. */
  const expectOld = async () => {
    await alice.putObject(bucket, 'settled', bytes(WHOLE));
    await alice.deleteObject(bucket, 'settled');
    const found = await alice.getObject(bucket, 'old');
    assert.ok(found.body.equals(old));
    assertHas(found, { metadata: { who: 'old' } });
    assert.deepEqual((await alice.listObjects(bucket)).keys, ['old']);
  };
  return { bucket, breakOff, expectOld };
}

const announced = (size: number, body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`Content-Length: ${size}\r\n\r\n`), body]);

const chunked = (...parts: readonly Rest[]): Buffer =>
  Buffer.concat(
    ['Transfer-Encoding: chunked\r\n\r\n', ...parts].map((piece) =>
      typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece,
    ),
  );

const chunk = (body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]);

const UNFINISHED = [
  chunked(''),
  chunked('5\r\nhel'),
  chunked('5\r\nhello\r\n'),
  chunked('5\r\nhello\r\n0\r\n'),
  chunked(chunk(bytes(100_000))),
  chunked(chunk(bytes(100_000)), chunk(bytes(100)), '400\r\n', bytes(1023)),
];

const MALFORMED = [
  chunked('zz\r\nhello\r\n0\r\n\r\n'),
  chunked('5\r\nhello world\r\n0\r\n\r\n'),
  chunked('-5\r\nhello\r\n0\r\n\r\n'),
  chunked('0x5\r\nhello\r\n0\r\n\r\n'),
  chunked('ffffffffffffffffff\r\nhello\r\n0\r\n\r\n'),
  chunked(chunk(bytes(100_000)), 'g\r\n'),
];

export const cases: readonly Case[] = [
  ...(['end', 'reset'] as const).map(
    (ending): Case => ({
      id: `cut-announced-${ending}`,
      name: `a body that is shorter than announced stores nothing, and the old object stays (${ending})`,
      async prove(context) {
        const { breakOff, expectOld } = await breaker(context, bytes(90_000));
        for (const sent of SENT) {
          for (const key of ['new', 'old']) {
            await breakOff(key, announced(WHOLE, bytes(sent)), ending);
          }
        }
        await breakOff('old', announced(10, bytes(9)), ending);
        await expectOld();
      },
    }),
  ),
  ...(['end', 'reset'] as const).map(
    (ending): Case => ({
      id: `cut-chunked-${ending}`,
      name: `a chunked body that breaks off stores nothing, and the old object stays (${ending})`,
      async prove(context) {
        const { breakOff, expectOld } = await breaker(context, bytes(10));
        for (const rest of UNFINISHED) {
          for (const key of ['new', 'old']) await breakOff(key, rest, ending);
        }
        await expectOld();
      },
    }),
  ),
  {
    id: 'cut-chunked-malformed',
    name: 'malformed chunks store nothing, and the old object stays',
    async prove(context) {
      const { breakOff, expectOld } = await breaker(context, bytes(90_000));
      for (const rest of MALFORMED) {
        for (const key of ['new', 'old']) await breakOff(key, rest, 'end');
      }
      await expectOld();
    },
  },
  {
    id: 'cut-digest',
    name: 'a body that breaks off is rejected even if its digest would match',
    needs: ['digests'],
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const digests = { md5: '5d41402abc4b2a76b9719d911017c592' }; // That of `hello`.
      const opening = await putOpening(alice, bucket, 'new', { digests });
      const wire = await write(opening, 'Content-Length: 6\r\n\r\nhello');
      wire.socket.end();
      const answer = await wire.answer;
      assert.ok(answer === undefined || answer.status >= 400, `answered ${answer?.status}`);
      await alice.putObject(bucket, 'settled', bytes(WHOLE));
      await absent(alice, bucket, 'new');
    },
  },
  {
    id: 'cut-many',
    name: 'the server survives many uploads that break off at the same time',
    async prove(context) {
      const { breakOff, expectOld } = await breaker(context, bytes(10));
      const rest = announced(WHOLE, bytes(80_000));
      await Promise.all(Array.from({ length: 30 }, () => breakOff('new', rest, 'reset')));
      await expectOld();
    },
  },
  {
    id: 'upload-part-cut',
    name: 'a part whose body breaks off is not stored, and the previous one stays',
    async prove({ alice, newBucket }) {
      const upload = await alice.initiateUpload(await newBucket(), 'key');
      const kept = await part(alice, upload, 1, 'kept');
      for (const number of [1, 2]) {
        const opening = await openingOf(alice, (client) => client.uploadPart(upload, number, ''));
        const wire = await write(opening, announced(WHOLE, bytes(100_000)));
        wire.socket.destroy();
        await wire.answer;
      }
      const { parts } = await alice.listParts(upload);
      assert.deepEqual(
        parts.map(({ number, etag }) => ({ number, etag })),
        [kept],
      );
    },
  },
  {
    id: 'append-cut',
    name: 'an append whose body breaks off changes nothing, and can be repeated',
    needs: ['append'],
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.appendObject(bucket, 'log', 'some');
      for (const size of [1000, 1_500_000]) {
        const opening = await openingOf(alice, (one) => one.appendObject(bucket, 'log', '', 4));
        const wire = await write(opening, announced(size, bytes(size - 1)));
        wire.socket.destroy();
        await wire.answer;
        assert.equal(await textOf(alice, bucket, 'log'), 'some');
      }
      await alice.appendObject(bucket, 'log', ' more', 4);
      assert.equal(await textOf(alice, bucket, 'log'), 'some more');
    },
  },
];
