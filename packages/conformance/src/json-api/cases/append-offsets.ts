import assert from 'node:assert/strict';
import type { StorageClient } from '../wire/client.js';
import { append } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';

async function newLog(storage: StorageClient, text = 'some'): Promise<string> {
  const path = `/${await storage.newBucket()}/log`;
  (await append(storage, path, text)).is(200);
  return path;
}

/** AppendObject: offsets, digests and concurrent appends. */
export const cases: readonly HttpRule[] = [
  {
    id: 'append-offset-number',
    name: 'an offset that is not a whole number is 400 InvalidArgument, and overwrites nothing',
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
];
