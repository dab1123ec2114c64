import test from 'ava';
import { dial, opening } from './raw.js';
import { alice, carriers, listen, memoryStorage } from './servers.js';

test('bodies that are held while they are compared do not use up what others need', async (t) => {
  const storage = await memoryStorage();
  const { origin, close } = await listen(carriers.node(storage, {}));
  t.teardown(close);
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const crc = 'x-svc-content-crc32c-flag: true';
  const held = await Promise.all(Array.from({ length: 1000 }, () => dial(origin)));
  for (const socket of held) {
    socket.write(`${opening('PUT', '/bucket/held', crc, 'Content-Length: 2')}x`);
  }
  const put = async (headers: Record<string, string>) => {
    const authorization = 'Bearer alice';
    const init = { method: 'PUT', headers: { authorization, ...headers }, body: 'x' };
    return (await fetch(`${origin}/bucket/key`, init)).status;
  };
  const flag = { 'x-svc-content-crc32c-flag': 'true' };
  while ((await put(flag)) !== 503);
  t.is(await put({}), 200);
  for (const socket of held) socket.destroy();
  while ((await put(flag)) !== 200);
  t.pass();
});
