import assert from 'node:assert/strict';
import type { Case, CaseContext } from '../case.js';
import { Failure, fails, outcome } from '../failure.js';
import { absent, bodyOf, bytes, digestsOf, inTurns, md5, textOf, uploadObject } from '../tools.js';

/** A bucket with the appendable object `log`. */
async function newLog({ alice, newBucket }: CaseContext, text = 'some'): Promise<string> {
  const bucket = await newBucket();
  await alice.appendObject(bucket, 'log', text);
  return bucket;
}

/** AppendObject: offsets, digests and concurrent appends. */
export const cases: readonly Case[] = [
  {
    id: 'append-offset',
    name: 'data is appended at the offset that equals the size uploaded so far',
    async prove(context) {
      const { alice } = context;
      const bucket = await newLog(context);
      assert.equal((await alice.appendObject(bucket, 'log', ' more', 4)).appendOffset, 9);
      assert.equal(await textOf(alice, bucket, 'log'), 'some more');
    },
  },
  {
    id: 'append-offset-wrong',
    name: 'a wrong offset is 409 OffsetIncorrect, returns the right one, and changes nothing',
    async prove(context) {
      const { alice } = context;
      const bucket = await newLog(context);
      for (const offset of [0, 1, 3, 5, 1e9, Number.MAX_SAFE_INTEGER]) {
        for (const body of ['x', '', bytes(70_000)]) {
          const append = alice.appendObject(bucket, 'log', body, offset);
          const { details } = await fails(append, 'OffsetIncorrect');
          assert.equal(details.appendOffset, 4);
        }
      }
      assert.equal(await textOf(alice, bucket, 'log'), 'some');
    },
  },
  {
    id: 'append-offset-missing',
    name: 'with an offset, even 0, a missing object is 404 NoSuchKey',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (const offset of [0, 4]) {
        await fails(alice.appendObject(bucket, 'log', 'x', offset), 'NoSuchKey');
      }
      await absent(alice, bucket, 'log');
    },
  },
  {
    id: 'append-offset-normal',
    name: 'with an offset, an object that is not appendable is 403 ObjectUnappendable',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      const append = (offset: number) => alice.appendObject(bucket, 'key', 'x', offset);
      await alice.putObject(bucket, 'key', 'some');
      for (const offset of [4, 0, 9]) await fails(append(offset), 'ObjectUnappendable');
      assert.equal(await textOf(alice, bucket, 'key'), 'some');
      await uploadObject(alice, bucket, 'key', [bytes(traits.minPartBytes), 'x']);
      await fails(append(traits.minPartBytes + 1), 'ObjectUnappendable');
    },
  },
  {
    id: 'append-digests',
    name: 'digests refer to the data of the call; a wrong one is BadDigest and changes nothing',
    async prove(context) {
      const { alice } = context;
      const bucket = await newLog(context);
      const wrong = digestsOf('other');
      for (const data of [Buffer.from('data'), Buffer.alloc(0), bytes(1_200_000)]) {
        const before = await bodyOf(alice, bucket, 'log');
        const right = digestsOf(data);
        for (const name of ['md5', 'sha256', 'crc32'] as const) {
          for (const offset of [undefined, before.length]) {
            const digests = { ...right, [name]: wrong[name] };
            const append = alice.appendObject(bucket, 'log', data, offset, { digests });
            await fails(append, 'BadDigest', name);
          }
        }
        assert.ok((await bodyOf(alice, bucket, 'log')).equals(before));
        const whole = Buffer.concat([before, data]);
        const options = { digests: right };
        const written = await alice.appendObject(bucket, 'log', data, before.length, options);
        assert.deepEqual([written.etag, written.digests.md5], [md5(whole), md5(whole)]);
        assert.ok((await bodyOf(alice, bucket, 'log')).equals(whole));
      }
    },
  },
  {
    id: 'append-race',
    name: 'of 16 appends at one offset exactly one succeeds, the others get 409 OffsetIncorrect',
    async prove(context) {
      const { alice } = context;
      const bucket = await newLog(context, '');
      let whole = Buffer.alloc(0);
      for (const size of [10, 70_000, 1_100_000]) {
        const bodies = Array.from({ length: 16 }, (_, at) => Buffer.alloc(size + at, 65 + at));
        const answers = await Promise.all(
          bodies.map((body) => outcome(alice.appendObject(bucket, 'log', body, whole.length))),
        );
        const winners = bodies.filter((_, at) => !(answers[at] instanceof Failure));
        assert.equal(winners.length, 1);
        whole = Buffer.concat([whole, ...winners]);
        for (const answer of answers) {
          if (answer instanceof Failure) assert.equal(answer.code, 'OffsetIncorrect');
          else assert.equal(answer.etag, md5(whole));
        }
        assert.ok((await bodyOf(alice, bucket, 'log')).equals(whole));
      }
    },
  },
  {
    id: 'append-race-lines',
    name: 'writers that retry with the offset from each 409 lose no line and write none twice',
    async prove(context) {
      const { alice } = context;
      const bucket = await newLog(context, '');
      let offset = 0;
      await inTurns(40, 4, async (at) => {
        for (;;) {
          const answer = await outcome(alice.appendObject(bucket, 'log', `line ${at}\n`, offset));
          if (!(answer instanceof Failure)) {
            offset = answer.appendOffset;
            return;
          }
          assert.equal(answer.code, 'OffsetIncorrect');
          assert.ok(answer.details.appendOffset !== undefined);
          offset = answer.details.appendOffset;
        }
      });
      const lines = (await textOf(alice, bucket, 'log')).split('\n');
      const expected = Array.from({ length: 40 }, (_, at) => `line ${at}`);
      assert.deepEqual(lines.toSorted(), ['', ...expected].toSorted());
    },
  },
];
