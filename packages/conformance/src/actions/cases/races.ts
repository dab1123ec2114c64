import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { codeOf, Failure, fails, outcome } from '../failure.js';
import { block, bodyOf, md5, part, textOf, uploadObject } from '../tools.js';
import { cases as appends } from './append-races.js';
import { cases as downloads } from './download-races.js';

const ROUNDS = 6;

export const cases: readonly Case[] = [
  {
    id: 'race-abort-complete',
    name: 'of a concurrent abort and completion, exactly one takes effect',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (let round = 0; round < ROUNDS; round++) {
        await alice.putObject(bucket, 'key', 'before');
        const upload = await alice.initiateUpload(bucket, 'key');
        const listed = await part(alice, upload, 1, block('a'));
        const codes = await Promise.all([
          codeOf(alice.abortUpload(upload)),
          codeOf(alice.completeUpload(upload, [listed])),
        ]);
        const aborted = codes[0] === 'done';
        assert.deepEqual(codes, aborted ? ['done', 'NoSuchUpload'] : ['NoSuchUpload', 'done']);
        const expected = aborted ? Buffer.from('before') : block('a');
        assert.ok((await bodyOf(alice, bucket, 'key')).equals(expected));
      }
    },
  },
  {
    id: 'race-part-complete',
    name: 'a part that races a completion is either entirely in the object or rejected',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      const size = Math.max(200_000, traits.minPartBytes);
      for (let round = 0; round < ROUNDS; round++) {
        const upload = await alice.initiateUpload(bucket, 'key');
        const one = await part(alice, upload, 1, block('a', size));
        const [again, late, completed] = await Promise.all([
          codeOf(alice.uploadPart(upload, 1, block('b', size))),
          codeOf(alice.uploadPart(upload, 2, block('c', size))),
          codeOf(alice.completeUpload(upload, [one])),
        ]);
        for (const code of [again, late]) assert.ok(['done', 'NoSuchUpload'].includes(code), code);
        let letter = 'a';
        if (completed !== 'done') {
          assert.deepEqual([completed, again], ['InvalidPart', 'done']);
          letter = 'b';
          await alice.completeUpload(upload, [{ number: 1, etag: md5(block('b', size)) }]);
        }
        assert.ok((await bodyOf(alice, bucket, 'key')).equals(block(letter, size)));
      }
    },
  },
  {
    id: 'race-part-abort',
    name: 'after the response to an abort, no part can be added',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (let round = 0; round < ROUNDS; round++) {
        const upload = await alice.initiateUpload(bucket, 'key');
        const codes = await Promise.all([
          ...[1, 2, 3].map((number) => codeOf(alice.uploadPart(upload, number, block('a')))),
          codeOf(alice.abortUpload(upload)),
        ]);
        assert.equal(codes.pop(), 'done');
        for (const code of codes) assert.ok(['done', 'NoSuchUpload'].includes(code), code);
        await fails(alice.listParts(upload), 'NoSuchUpload');
      }
      assert.deepEqual((await alice.listUploads(bucket)).keys, []);
    },
  },
  {
    id: 'race-complete-twice',
    name: 'two concurrent completions return the same result, or one finds no upload; there is one object',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      const size = Math.max(200_000, traits.minPartBytes);
      for (let round = 0; round < ROUNDS; round++) {
        const upload = await alice.initiateUpload(bucket, 'key');
        const one = await part(alice, upload, 1, block('a', size));
        const two = await part(alice, upload, 2, block('b', size));
        const answers = await Promise.all(
          [1, 2, 3].map(() => outcome(alice.completeUpload(upload, [one, two]))),
        );
        const done = answers.filter((answer) => !(answer instanceof Failure));
        assert.ok(done.length > 0);
        for (const answer of answers) {
          if (answer instanceof Failure) assert.equal(answer.code, 'NoSuchUpload');
          else assert.deepEqual(answer, done[0]);
        }
        const whole = Buffer.concat([block('a', size), block('b', size)]);
        assert.ok((await bodyOf(alice, bucket, 'key')).equals(whole));
        assert.deepEqual((await alice.listObjects(bucket)).keys, ['key']);
      }
    },
  },
  {
    id: 'race-complete-other-lists',
    name: 'of two completions with different lists, exactly one creates the object',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (let round = 0; round < ROUNDS; round++) {
        const upload = await alice.initiateUpload(bucket, 'key');
        const one = await part(alice, upload, 1, block('a'));
        const two = await part(alice, upload, 2, block('b'));
        const codes = await Promise.all(
          [one, two].map((listed) => codeOf(alice.completeUpload(upload, [listed]))),
        );
        assert.deepEqual(codes.toSorted(), ['NoSuchUpload', 'done']);
        const winner = block(codes[0] === 'done' ? 'a' : 'b');
        assert.ok((await bodyOf(alice, bucket, 'key')).equals(winner));
      }
    },
  },
  {
    id: 'race-rename-put',
    name: 'when a rename races PutObject on its keys, each object stays complete and none is lost',
    needs: ['rename'],
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (let round = 0; round < ROUNDS; round++) {
        await alice.putObject(bucket, 'from', block('a'));
        await alice.putObject(bucket, 'to', block('b'));
        const put = round % 2 === 0 ? 'from' : 'to';
        await Promise.all([
          alice.renameObject(bucket, 'from', 'to'),
          alice.putObject(bucket, put, block('c')),
        ]);
        const left = await outcome(alice.getObject(bucket, 'from'));
        const moved = await textOf(alice, bucket, 'to');
        const letters = [left instanceof Failure ? '-' : left.text[0], moved[0]].join('');
        const allowed = put === 'from' ? ['ca', '-c'] : ['-a', '-c'];
        assert.ok(allowed.includes(letters), letters);
        assert.equal(moved, block(moved[0] ?? '').toString());
      }
    },
  },
  {
    id: 'race-copy-overwrite',
    name: 'a copy that races a change of its source equals the old or the new source',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      const one = block('a', Math.max(200_000, traits.minPartBytes));
      const parts = [one, one, one];
      for (let round = 0; round < ROUNDS; round++) {
        await uploadObject(alice, bucket, 'source', parts);
        const [copied] = await Promise.all([
          alice.copyObject({ bucket, key: 'source' }, bucket, 'copy'),
          alice.putObject(bucket, 'source', block('b')),
        ]);
        const found = await alice.getObject(bucket, 'copy');
        assert.equal(found.etag, copied.etag);
        const [old, newer] = [Buffer.concat(parts), block('b')];
        assert.ok(found.body.equals(old) || found.body.equals(newer));
      }
    },
  },
  ...appends,
  ...downloads,
];
