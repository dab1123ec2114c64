import assert from 'node:assert/strict';
import { bytes } from '../../actions/tools.js';
import type { StorageClient } from '../wire/client.js';
import { append } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';

async function newLog(storage: StorageClient, text = 'some'): Promise<string> {
  const path = `/${await storage.newBucket()}/log`;
  (await append(storage, path, text)).is(200);
  return path;
}

/** Offsets, digests and appends at the same time: a chapter of AppendObject. */
export const cases: readonly HttpRule[] = [
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
];
