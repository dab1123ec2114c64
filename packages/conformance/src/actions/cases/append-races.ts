import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { codeOf } from '../failure.js';
import { block, bodyOf } from '../tools.js';

const ROUNDS = 6;
const NEEDS = ['append'] as const;

/** Alternates between small and large data to append. */
const moreOf = (round: number): Buffer =>
  round % 2 === 0 ? Buffer.from('more') : block('m', 1_100_000);

/** Races: appends that run while the object changes. */
export const cases: readonly Case[] = [
  {
    id: 'race-append-put',
    name: 'when an append races a PutObject, the object never mixes the data of both',
    needs: NEEDS,
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (let round = 0; round < ROUNDS; round++) {
        await alice.appendObject(bucket, 'log', block('a'));
        const more = moreOf(round);
        const [appended] = await Promise.all([
          codeOf(alice.appendObject(bucket, 'log', more, 200_000)),
          round % 3 === 0
            ? alice.appendObject(bucket, 'log', block('p'))
            : alice.putObject(bucket, 'log', block('p')),
        ]);
        const found = await bodyOf(alice, bucket, 'log');
        const both = Buffer.concat([block('p'), more]);
        assert.ok(found.equals(block('p')) || (round % 3 === 0 && found.equals(both)));
        if (appended !== 'done') {
          assert.ok(['ObjectUnappendable', 'OffsetIncorrect'].includes(appended), appended);
          assert.ok(found.equals(block('p')));
        }
      }
    },
  },
  {
    id: 'race-copy-itself-append',
    name: 'when metadata is replaced during an append, both changes take effect',
    needs: NEEDS,
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (let round = 0; round < ROUNDS; round++) {
        await alice.appendObject(bucket, 'log', block('a'));
        const [more, metadata] = [moreOf(round), { a: `${round}` }];
        const replace = { directive: 'replace', metadata };
        await Promise.all([
          alice.appendObject(bucket, 'log', more, 200_000),
          alice.copyObject({ bucket, key: 'log' }, bucket, 'log', replace),
        ]);
        const found = await alice.getObject(bucket, 'log');
        assert.ok(found.body.equals(Buffer.concat([block('a'), more])));
        assert.deepEqual(found.metadata, metadata);
      }
    },
  },
];
