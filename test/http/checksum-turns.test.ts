import type { Socket } from 'node:net';
import test from 'ava';
import { dial, opening } from './raw.js';
import { alice, carriers, listen, memoryStorage } from './servers.js';

test('bodies that are held while they are compared do not use up what others need', async (t) => {
  const storage = await memoryStorage();
  const { origin, close } = await listen(carriers.node(storage, {}));
  t.teardown(close);
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const crc = 'x-svc-content-crc32c-flag: true';
  const held: Socket[] = [];
  const hold = async () => {
    const socket = await dial(origin);
    held.push(socket);
    socket.write(`${opening('PUT', '/bucket/held', crc, 'Content-Length: 2')}x`);
  };
  await Promise.all(Array.from({ length: 1000 }, hold));
  const put = async (headers: Record<string, string>) => {
    const authorization = 'Bearer alice';
    const init = { method: 'PUT', headers: { authorization, ...headers }, body: 'x' };
    return (await fetch(`${origin}/bucket/key`, init)).status;
  };
  const flag = { 'x-svc-content-crc32c-flag': 'true' };
  // One that came while such a request was under way has been refused itself.
  while ((await put(flag)) !== 503) await hold();
  t.is(await put({}), 200);
  for (const socket of held) socket.destroy();
  while ((await put(flag)) !== 200);
  t.pass();
});
