import assert from 'node:assert/strict';
import type { Answer } from '../wire/client.js';
import {
  abort,
  append,
  complete,
  copy,
  initiate,
  md5,
  part,
  partPath,
  rename,
  upload,
} from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';
import { cases as downloads } from './download-races.js';

const ROUNDS = 6;

/** Bytes of one letter: a mixture of two would show. */
const block = (letter: string, size = 200_000): Buffer => Buffer.alloc(size, letter);

const code = (answer: Answer): string => (answer.status < 300 ? 'done' : answer.json.code);

export const cases: readonly HttpRule[] = [
  {
    id: 'race-abort-complete',
    name: 'of an abort and a completion at the same time exactly one happens',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      for (let round = 0; round < ROUNDS; round++) {
        (await storage.put(path, 'before')).is(200);
        const uploadId = await initiate(storage, path);
        const listed = await part(storage, path, uploadId, 1, block('a'));
        const [aborted, completed] = await Promise.all([
          abort(storage, path, uploadId),
          complete(storage, path, uploadId, [listed]),
        ]);
        const found = (await storage.get(path)).is(200);
        if (aborted.status === 204) {
          completed.fails(404, 'NoSuchUpload');
          assert.equal(found.text, 'before');
        } else {
          aborted.fails(404, 'NoSuchUpload');
          completed.is(200);
          assert.ok(found.body.equals(block('a')));
        }
      }
    },
  },
  {
    id: 'race-part-complete',
    name: 'a part that races a completion is in the object or refused, and never half of it',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      for (let round = 0; round < ROUNDS; round++) {
        const uploadId = await initiate(storage, path);
        const one = await part(storage, path, uploadId, 1, block('a'));
        const [again, late, completed] = await Promise.all([
          storage.put(partPath(path, uploadId, 1), block('b')),
          storage.put(partPath(path, uploadId, 2), block('c')),
          complete(storage, path, uploadId, [one]),
        ]);
        for (const answer of [again, late]) {
          assert.ok(['done', 'NoSuchUpload'].includes(code(answer)), code(answer));
        }
        if (completed.status === 200) {
          assert.ok((await storage.get(path)).is(200).body.equals(block('a')));
        } else {
          completed.fails(400, 'InvalidPart');
          again.is(200);
          const other = { partNumber: 1, eTag: md5(block('b')) };
          (await complete(storage, path, uploadId, [other])).is(200);
          assert.ok((await storage.get(path)).is(200).body.equals(block('b')));
        }
      }
    },
  },
  {
    id: 'race-part-abort',
    name: 'after the answer to an abort no part can land',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      for (let round = 0; round < ROUNDS; round++) {
        const uploadId = await initiate(storage, path);
        const answers = await Promise.all([
          ...[1, 2, 3].map((at) => storage.put(partPath(path, uploadId, at), block('a'))),
          abort(storage, path, uploadId),
        ]);
        answers.pop()?.is(204);
        for (const answer of answers) {
          assert.ok(['done', 'NoSuchUpload'].includes(code(answer)), code(answer));
        }
        (await storage.get(`${path}?uploadId=${uploadId}`)).fails(404, 'NoSuchUpload');
      }
      assert.deepEqual((await storage.get(`/${bucket}?uploads`)).json.uploads, []);
    },
  },
  {
    id: 'race-complete-twice',
    name: 'of two completions at once both answer the same or one finds no upload; one object',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      for (let round = 0; round < ROUNDS; round++) {
        const uploadId = await initiate(storage, path);
        const one = await part(storage, path, uploadId, 1, block('a'));
        const two = await part(storage, path, uploadId, 2, block('b'));
        const answers = await Promise.all(
          [1, 2, 3].map(() => complete(storage, path, uploadId, [one, two])),
        );
        const done = answers.filter(({ status }) => status === 200);
        assert.ok(done.length > 0);
        for (const answer of answers) {
          if (answer.status === 200) assert.deepEqual(answer.json, done[0]?.json);
          else answer.fails(404, 'NoSuchUpload');
        }
        const found = (await storage.get(path)).is(200);
        assert.ok(found.body.equals(Buffer.concat([block('a'), block('b')])));
        assert.equal((await storage.get(`/${bucket}`)).json.contents.length, 1);
      }
    },
  },
  {
    id: 'race-complete-other-lists',
    name: 'of two completions with different lists exactly one makes the object',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      for (let round = 0; round < ROUNDS; round++) {
        const uploadId = await initiate(storage, path);
        const one = await part(storage, path, uploadId, 1, block('a'));
        const two = await part(storage, path, uploadId, 2, block('b'));
        const [first, second] = await Promise.all([
          complete(storage, path, uploadId, [one]),
          complete(storage, path, uploadId, [two]),
        ]);
        assert.deepEqual([code(first), code(second)].toSorted(), ['NoSuchUpload', 'done']);
        const winner = first.status === 200 ? block('a') : block('b');
        assert.ok((await storage.get(path)).is(200).body.equals(winner));
      }
    },
  },
  {
    id: 'race-rename-put',
    name: 'of a rename and a PutObject of its keys each object stays whole, and none is lost',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const [from, to] = [`/${bucket}/from`, `/${bucket}/to`];
      for (let round = 0; round < ROUNDS; round++) {
        (await storage.put(from, block('a'))).is(200);
        (await storage.put(to, block('b'))).is(200);
        const put = round % 2 === 0 ? from : to;
        const [renamed] = await Promise.all([
          rename(storage, 'from', to),
          storage.put(put, block('c')).then((answer) => answer.is(200)),
        ]);
        renamed.is(200);
        const [left, moved] = [await storage.get(from), (await storage.get(to)).is(200)];
        const letters = [left, moved].map(({ status, text }) => (status === 200 ? text[0] : '-'));
        const allowed = put === from ? ['ca', '-c'] : ['-a', '-c'];
        assert.ok(allowed.includes(letters.join('')), letters.join(''));
        assert.ok(moved.body.equals(block(letters[1] ?? '')));
      }
    },
  },
  {
    id: 'race-append-put',
    name: 'of an append and a PutObject the object is one of both, never bytes of two generations',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/log`;
      for (let round = 0; round < ROUNDS; round++) {
        (await append(storage, path, block('a'))).is(200);
        const more = round % 2 === 0 ? 'more' : block('m', 1_100_000);
        const [appended, put] = await Promise.all([
          append(storage, path, more, 200_000),
          round % 3 === 0 ? append(storage, path, block('p')) : storage.put(path, block('p')),
        ]);
        put.is(200);
        const found = (await storage.get(path)).is(200).body;
        const both = Buffer.concat([block('p'), Buffer.from(more)]);
        assert.ok(found.equals(block('p')) || (round % 3 === 0 && found.equals(both)));
        if (appended.status !== 200) {
          assert.ok(['ObjectUnappendable', 'OffsetIncorrect'].includes(code(appended)));
          assert.ok(found.equals(block('p')));
        }
      }
    },
  },
  {
    id: 'race-copy-overwrite',
    name: 'a copy that races a change of its source is the old or the new source, whole',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const [source, target] = [`/${bucket}/source`, `/${bucket}/copy`];
      const parts = [block('a'), block('a'), block('a')];
      for (let round = 0; round < ROUNDS; round++) {
        await upload(storage, source, parts);
        const [copied] = await Promise.all([
          copy(storage, source, target),
          storage.put(source, block('b')).then((answer) => answer.is(200)),
        ]);
        copied.is(200);
        const found = (await storage.get(target)).is(200);
        assert.equal(found.header('etag'), `"${copied.json.eTag}"`);
        const [old, newer] = [Buffer.concat(parts), block('b')];
        assert.ok(found.body.equals(old) || found.body.equals(newer));
      }
    },
  },
  {
    id: 'race-copy-itself-append',
    name: 'metadata that is replaced while an append runs loses neither',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/log`;
      for (let round = 0; round < ROUNDS; round++) {
        (await append(storage, path, block('a'))).is(200);
        const more = round % 2 === 0 ? Buffer.from('more') : block('m', 1_100_000);
        const replace = { 'x-svc-metadata-directive': 'replace', 'x-svc-meta-a': `${round}` };
        const answers = await Promise.all([
          append(storage, path, more, 200_000),
          copy(storage, path, path, replace),
        ]);
        for (const answer of answers) answer.is(200);
        const found = (await storage.get(path)).is(200);
        assert.ok(found.body.equals(Buffer.concat([block('a'), more])));
        assert.equal(found.header('x-svc-meta-a'), `${round}`);
      }
    },
  },
  ...downloads,
];
