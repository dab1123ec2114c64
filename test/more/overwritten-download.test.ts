import { once } from 'node:events';
import test from 'ava';
import { carriers } from '../http/carriers.js';
import { diskStorage } from '../http/disk-storage.js';
import { call, dial } from '../http/raw.js';
import { listen, memoryStorage } from '../http/servers.js';

const SIZE = 30_000_000;
const DAY = 24 * 60 * 60 * 1000;

for (const [name, open] of Object.entries({ memory: memoryStorage, disk: diskStorage })) {
  for (const [framework, carry] of Object.entries(carriers)) {
    test(`${framework}, ${name}: a download gets one complete version while the object is replaced, deleted and swept`, async (t) => {
      let time = Date.now();
      const storage = await open({ now: () => time, sweepEvery: false });
      const { origin, close } = await listen(carry(storage, {}));
      t.teardown(async () => {
        await close();
        await storage.close();
      });
      const before = Buffer.alloc(SIZE, 'before');
      await call(origin, 'PUT', '/bucket');
      await call(origin, 'PUT', '/bucket/key', { body: before });

      const socket = await dial(origin);
      const head = 'Host: x\r\nAuthorization: Bearer alice\r\nConnection: close\r\n\r\n';
      socket.write(`GET /bucket/key HTTP/1.1\r\n${head}`);
      const [first] = (await once(socket, 'data')) as [Buffer];
      socket.pause();
      const chunks = [first];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.pause();

      const after = Buffer.alloc(100_000, 'after');
      t.is((await call(origin, 'PUT', '/bucket/key', { body: after })).status, 200);
      t.true(after.equals((await call(origin, 'GET', '/bucket/key')).body));
      t.is((await call(origin, 'DELETE', '/bucket/key')).status, 204);
      time += DAY;
      t.true((await storage.sweep()).removed > 0);

      socket.resume();
      await once(socket, 'close');
      const all = Buffer.concat(chunks);
      t.true(all.subarray(all.indexOf('\r\n\r\n') + 4).equals(before));
      const { blobs, missing, orphans } = await storage.check();
      t.deepEqual({ blobs, missing, orphans }, { blobs: 0, missing: [], orphans: [] });
    });
  }
}
