import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Answer, StorageClient } from '../wire/client.js';
import { append, MIN_PART, md5, upload } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';

/** A download that has its headers and waits with the rest until `change` is done. */
async function slowly(
  storage: StorageClient,
  path: string,
  change: () => Promise<unknown>,
): Promise<Answer> {
  const wire = await storage.dial();
  const begun = once(wire.socket, 'data').then(() => wire.socket.pause());
  await wire.write(`${storage.opening('GET', path)}\r\n`);
  await begun;
  await change();
  wire.socket.resume();
  const answer = await wire.answer;
  assert.ok(answer);
  return answer.is(200);
}

const PIECES = Array.from({ length: 40 }, (_, at) => Buffer.alloc(5 * MIN_PART, 65 + at));

/** Downloads that run while the object changes: a chapter of the races. */
export const cases: readonly HttpRule[] = [
  {
    id: 'race-download-overwrite',
    name: 'a download that runs while the object is replaced gets the old bytes whole',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const old = Buffer.concat(PIECES);
      await upload(storage, path, PIECES);
      const answer = await slowly(storage, path, async () => {
        for (const body of ['new', Buffer.alloc(300_000, 'n'), '']) {
          (await storage.put(path, body)).is(200);
        }
      });
      assert.ok(answer.body.equals(old));
      assert.equal((await storage.get(path)).is(200).body.length, 0);
    },
  },
  {
    id: 'race-download-delete',
    name: 'a download that runs while the object is deleted gets all of it',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      await upload(storage, path, PIECES);
      const answer = await slowly(storage, path, async () => {
        (await storage.delete(path)).is(204);
        (await storage.get(path)).fails(404, 'NoSuchKey');
      });
      assert.ok(answer.body.equals(Buffer.concat(PIECES)));
    },
  },
  {
    id: 'race-download-append',
    name: 'a download that runs while the object grows gets the bytes that it announced',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/log`;
      const old = Buffer.alloc(8_000_000, 'o');
      (await append(storage, path, old)).is(200);
      const answer = await slowly(storage, path, async () => {
        (await append(storage, path, Buffer.alloc(200_000, 'n'), old.length)).is(200);
        (await append(storage, path, Buffer.alloc(1_200_000, 'm'), old.length + 200_000)).is(200);
      });
      assert.equal(answer.header('content-length'), String(old.length));
      assert.equal(answer.header('etag'), `"${md5(old)}"`);
      assert.ok(answer.body.equals(old));
    },
  },
];
