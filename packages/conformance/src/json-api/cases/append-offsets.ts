import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { bytes } from '../../actions/tools.js';
import type { StorageClient } from '../wire/client.js';
import { append, base64, inTurns, MIN_PART, md5, upload } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';

async function newLog(storage: StorageClient, text = 'some'): Promise<string> {
  const path = `/${await storage.newBucket()}/log`;
  (await append(storage, path, text)).is(200);
  return path;
}

/** Offsets, digests and appends at the same time: a chapter of AppendObject. */
export const cases: readonly HttpRule[] = [
  {
    id: 'append-offset',
    name: 'data is appended at the offset that equals the size uploaded so far',
    async prove(storage) {
      const path = await newLog(storage);
      const answer = (await append(storage, path, ' more', 4)).is(200);
      assert.equal(answer.header('x-svc-next-append-offset'), '9');
      assert.equal((await storage.get(path)).is(200).text, 'some more');
    },
  },
  {
    id: 'append-offset-wrong',
    name: 'a wrong offset is 409 OffsetIncorrect, says the right one, and changes nothing',
    async prove(storage) {
      const path = await newLog(storage);
      for (const offset of [0, 1, 3, 5, 1e9, Number.MAX_SAFE_INTEGER]) {
        for (const body of ['x', '', bytes(70_000)]) {
          const answer = await append(storage, path, body, offset);
          answer.fails(409, 'OffsetIncorrect');
          assert.equal(answer.header('x-svc-next-append-offset'), '4');
        }
      }
      assert.equal((await storage.get(path)).text, 'some');
    },
  },
  {
    id: 'append-offset-missing',
    name: 'with an offset a missing object is 404 NoSuchKey, also with offset 0',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/log`;
      for (const offset of [0, 4]) {
        (await append(storage, path, 'x', offset)).fails(404, 'NoSuchKey');
      }
      (await storage.head(path)).failsBare(404);
    },
  },
  {
    id: 'append-offset-normal',
    name: 'with an offset an object that is not appendable is 403 ObjectUnappendable',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      (await storage.put(path, 'some')).is(200);
      for (const offset of [4, 0, 9]) {
        (await append(storage, path, 'x', offset)).fails(403, 'ObjectUnappendable');
      }
      assert.equal((await storage.get(path)).text, 'some');
      await upload(storage, path, [bytes(MIN_PART), 'x']);
      (await append(storage, path, 'x', MIN_PART + 1)).fails(403, 'ObjectUnappendable');
    },
  },
  {
    id: 'append-offset-number',
    name: 'an offset that is no whole number is 400 InvalidArgument, and overwrites nothing',
    async prove(storage) {
      const path = await newLog(storage);
      for (const offset of ['', '-1', '1e0', '4.0', 'x', '0x4', '04', '%204', '4&offset=4']) {
        (await append(storage, path, 'x', offset)).fails(400, 'InvalidArgument');
      }
      (await append(storage, path, 'x', '9'.repeat(30))).fails(400, 'InvalidArgument');
      const flag = await storage.send({ method: 'POST', path: `${path}?append&offset`, body: 'x' });
      flag.fails(400, 'InvalidArgument');
      assert.equal((await storage.get(path)).text, 'some');
    },
  },
  {
    id: 'append-too-large',
    name: 'an object of more than 5 GB is 400 EntityTooLarge, by one append or by the sum',
    async prove(storage) {
      const path = await newLog(storage);
      const limit = 5 * 1024 ** 3;
      for (const [query, length] of [
        ['?append', limit + 1],
        ['?append&offset=4', limit - 3],
      ] as const) {
        const wire = await storage.dial();
        const opening = storage.opening('POST', path + query);
        await wire.write(`${opening}Content-Length: ${length}\r\n\r\n`);
        const answer = await wire.answer;
        assert.ok(answer);
        answer.fails(400, 'EntityTooLarge');
      }
      assert.equal((await storage.get(path)).text, 'some');
    },
  },
  {
    id: 'append-digests',
    name: 'digests are of the data of the call; a wrong one is BadDigest and changes nothing',
    async prove(storage) {
      const path = await newLog(storage);
      for (const data of [Buffer.from('data'), Buffer.alloc(0), bytes(1_200_000)]) {
        const before = (await storage.get(path)).is(200).body;
        const right = {
          'content-md5': base64(md5(data)),
          'x-svc-content-sha256': createHash('sha256').update(data).digest('hex'),
          'x-svc-content-crc32': String(crc32(data)),
        };
        const wrong = {
          'content-md5': base64(md5('other')),
          'x-svc-content-sha256': createHash('sha256').update('other').digest('hex'),
          'x-svc-content-crc32': '1',
        };
        for (const [name, value] of Object.entries(wrong)) {
          for (const offset of [undefined, before.length]) {
            const headers = { ...right, [name]: value };
            (await append(storage, path, data, offset, headers)).fails(400, 'BadDigest');
          }
        }
        assert.ok((await storage.get(path)).is(200).body.equals(before));
        const whole = Buffer.concat([before, data]);
        const answer = (await append(storage, path, data, before.length, right)).is(200);
        assert.equal(answer.header('content-md5'), base64(md5(whole)));
        assert.ok((await storage.get(path)).is(200).body.equals(whole));
      }
    },
  },
  {
    id: 'append-cut',
    name: 'an append whose bytes break off changes nothing, and can be repeated',
    async prove(storage) {
      const path = await newLog(storage);
      for (const size of [1000, 1_500_000]) {
        const wire = await storage.dial();
        const opening = storage.opening('POST', `${path}?append&offset=4`);
        await wire.write(`${opening}Content-Length: ${size}\r\n\r\n`);
        await wire.write(bytes(size - 1));
        wire.socket.destroy();
        await wire.answer;
        assert.equal((await storage.get(path)).text, 'some');
      }
      (await append(storage, path, ' more', 4)).is(200);
      assert.equal((await storage.get(path)).text, 'some more');
    },
  },
  {
    id: 'append-race',
    name: 'of 16 appends at one offset exactly one succeeds, the others get 409 OffsetIncorrect',
    async prove(storage) {
      const path = await newLog(storage, '');
      let whole = Buffer.alloc(0);
      for (const size of [10, 70_000, 1_100_000]) {
        const bodies = Array.from({ length: 16 }, (_, at) => Buffer.alloc(size + at, 65 + at));
        const answers = await Promise.all(
          bodies.map((body) => append(storage, path, body, whole.length)),
        );
        const winners = bodies.filter((_, at) => answers[at]?.status === 200);
        assert.equal(winners.length, 1);
        whole = Buffer.concat([whole, ...winners]);
        for (const answer of answers) {
          if (answer.status === 200) assert.equal(answer.header('etag'), `"${md5(whole)}"`);
          else answer.fails(409, 'OffsetIncorrect');
        }
        assert.ok((await storage.get(path)).is(200).body.equals(whole));
      }
    },
  },
  {
    id: 'append-race-lines',
    name: 'writers that take the next offset from each 409 lose no line and write none twice',
    async prove(storage) {
      const path = await newLog(storage, '');
      let offset = '0';
      await inTurns(40, 4, async (at) => {
        for (;;) {
          const answer = await append(storage, path, `line ${at}\n`, offset);
          offset = answer.header('x-svc-next-append-offset') ?? '';
          if (answer.status === 200) return;
          answer.fails(409, 'OffsetIncorrect');
        }
      });
      const lines = (await storage.get(path)).is(200).text.split('\n');
      const expected = Array.from({ length: 40 }, (_, at) => `line ${at}`);
      assert.deepEqual(lines.toSorted(), ['', ...expected].toSorted());
    },
  },
];
