import type { Socket } from 'node:net';
import test from 'ava';
import { call, dial, opening } from './raw.js';
import { alice, listen, memoryStorage, onNode } from './servers.js';

const HELD = 40;

test('concurrent bodies share hash instances, and each gets its own digest', async (t) => {
  // Node's types lack it.
  const { WebAssembly } = globalThis as unknown as {
    WebAssembly: { instantiate(...given: unknown[]): Promise<unknown> };
  };
  const { instantiate } = WebAssembly;
  let instances = 0;
  WebAssembly.instantiate = (...given) => {
    instances++;
    return instantiate(...given);
  };
  t.teardown(() => {
    WebAssembly.instantiate = instantiate;
  });
  const storage = await memoryStorage();
  const { origin, close } = await listen(onNode(storage, {}));
  t.teardown(close);
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  await storage.as(alice).appendObject({ bucket: 'bucket', key: 'growing', body: 'grown' });
  const bytes = (at: number) => Buffer.from([at, at >> 8, 7]);
  const hold = async (at: number, method: string, path: string): Promise<[Socket, Buffer]> => {
    const socket = await dial(origin);
    const flag = 'x-svc-content-crc32c-flag: true';
    socket.write(opening(method, path, flag, 'Content-Length: 3', 'Connection: close'));
    socket.write(bytes(at).subarray(0, 2));
    return [socket, bytes(at).subarray(2)];
  };
  const held: Promise<[Socket, Buffer]>[] = [];
  for (let at = 0; at < HELD; at++) {
    held.push(hold(at, 'PUT', `/bucket/put-${at}`), hold(at, 'POST', `/bucket/new-${at}?append`));
    held.push(hold(at, 'POST', '/bucket/growing?append&offset=5'));
  }
  const sockets = await Promise.all(held);
  const crc64 = { 'x-svc-content-crc64ecma': '0', 'x-svc-content-crc32c-flag': 'true' };
  t.is((await call(origin, 'PUT', '/bucket/other', { headers: crc64, body: 'x' })).status, 400);
  const answers = sockets.map(async ([socket, rest]) => {
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.write(rest);
    await new Promise((resolve) => socket.once('close', resolve));
    return answer;
  });
  const answered = await Promise.all(answers);
  const statuses = answered.map((answer) => answer.slice(9, 12));
  // One of the appends at each offset succeeds.
  t.is(statuses.filter((status) => status === '200').length, 2 * HELD + 1);
  // One instance for each kind, plus those that the rest of the process creates meanwhile.
  t.true(instances < 10, `${instances} instances of WebAssembly`);
  for (let at = 0; at < HELD; at++) {
    const flags = { 'x-svc-content-crc32c-flag': 'true' };
    const again = await call(origin, 'PUT', '/bucket/again', { headers: flags, body: bytes(at) });
    const put = await storage.getObjectMeta({ bucket: 'bucket', key: `put-${at}` });
    const grown = await storage.getObjectMeta({ bucket: 'bucket', key: `new-${at}` });
    t.deepEqual([put.etag, grown.etag], [again.headers.etag, again.headers.etag].map(bare));
    const crc = /x-svc-content-crc32c: (\d+)/.exec(answered[3 * at] ?? '')?.[1];
    t.is(crc, again.headers['x-svc-content-crc32c'] as string);
  }
});

const bare = (etag: unknown): string => String(etag).replaceAll('"', '');
