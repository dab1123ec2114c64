import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { dial } from './raw.js';
import { listen, memoryStorage, onNode } from './servers.js';

const KIB = 1024;

/**
 * Clients that each send a part of a body. One that arrives together with other requests may be
 * rejected, and then tries again.
 */
async function sendSlowly(origin: string, request: string, clients = 1) {
  const sockets = new Set<Socket>();
  let ended = false;
  const send = async () => {
    const socket = await dial(origin);
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.destroy();
      sockets.delete(socket);
      if (!ended) void send();
    });
    socket.write(request);
  };
  await Promise.all(Array.from({ length: clients }, send));
  return () => {
    ended = true;
    for (const socket of sockets) socket.destroy();
  };
}

/** A server with `bucket`, in which everyone may do everything. */
async function served(t: ExecutionContext, settings: { readonly jsonMemory?: number } = {}) {
  const storage = await memoryStorage({ ...settings, onError: () => {} });
  t.teardown(() => storage.close());
  const { origin, close } = await listen(onNode(storage, { authorize: () => true }));
  t.teardown(close);
  await storage.putBucket({ bucket: 'bucket' });
  return { storage, origin };
}

test('all JSON bodies together have a memory limit, and release their memory', async (t) => {
  const { origin } = await served(t, { jsonMemory: 1000 * KIB });
  const ask = async (size: number) => {
    const body = '{"objects":[{"key":"a"}]}'.padEnd(size);
    const headers = { authorization: 'Bearer alice' };
    const answer = await fetch(`${origin}/bucket?delete`, { method: 'POST', headers, body });
    await answer.arrayBuffer();
    return [answer.status, answer.headers.get('retry-after')];
  };
  const until = async (size: number, status: number) => {
    for (;;) {
      const answer = await ask(size);
      if (answer[0] === status) return answer;
      await sleep(10);
    }
  };
  t.deepEqual(await ask(900 * KIB), [200, null]);
  // Two slow clients. Nobody else sends a request until their heads have arrived.
  const head = 'POST /bucket?delete HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer alice\r\n';
  const length = `Content-Length: ${450 * KIB}\r\n\r\n`;
  const end = await sendSlowly(origin, head + length + ' '.repeat(400 * KIB), 2);
  t.teardown(end);
  await sleep(300);
  t.deepEqual(await until(300 * KIB, 503), [503, '5']);
  // There is still room for a small body, and rejected bodies have not used any.
  for (let count = 0; count < 20; count++) t.deepEqual(await ask(16 * KIB), [200, null]);
  t.deepEqual(await ask(300 * KIB), [503, '5']);
  end();
  t.deepEqual(await until(900 * KIB, 200), [200, null]);
});

test('one caller may use an eighth of that memory, so that others can proceed', async (t) => {
  const { origin } = await served(t);
  const ask = async (caller: string) => {
    const body = '{"objects":[{"key":"a"}]}'.padEnd(400 * KIB);
    const headers = { authorization: `Bearer ${caller}` };
    const answer = await fetch(`${origin}/bucket?delete`, { method: 'POST', headers, body });
    await answer.arrayBuffer();
    return answer.status;
  };
  const slow: Socket[] = [];
  const dawdle = async () => {
    const socket = await dial(origin);
    slow.push(socket);
    socket.write(
      'POST /bucket?delete HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer bob\r\n' +
        `Content-Length: ${2000 * KIB}\r\n\r\n${' '.repeat(1990 * KIB)}`,
    );
  };
  // A request that arrives together with another body may itself be rejected.
  while ((await ask('bob')) !== 503) {
    await dawdle();
    await sleep(20);
  }
  t.is(await ask('alice'), 200);
  for (const socket of slow) socket.destroy();
});

test('bodies that are announced and do not arrive keep nobody from sending bodies or listing', async (t) => {
  const { storage, origin } = await served(t, { jsonMemory: 1000 * KIB });
  const name = 'x'.repeat(900);
  for (let at = 0; at < 100; at++) {
    await storage.putObject({ bucket: 'bucket', key: `${name}${at}`, body: '' });
  }
  const head = `POST /bucket?delete HTTP/1.1\r\nHost: x\r\nContent-Length: ${900 * KIB}\r\n\r\n`;
  t.teardown(await sendSlowly(origin, head + ' '.repeat(100), 7));
  await sleep(100);
  const body = '{"objects":[{"key":"a"}]}'.padEnd(800 * KIB);
  t.is((await fetch(`${origin}/bucket?delete`, { method: 'POST', body })).status, 200);
  // A body that takes all the memory leaves that of responses free.
  t.teardown(await sendSlowly(origin, head + ' '.repeat(890 * KIB)));
  for (let status = 200; status !== 503; ) {
    ({ status } = await fetch(`${origin}/bucket?delete`, { method: 'POST', body }));
  }
  const list = await fetch(`${origin}/bucket`);
  t.is(list.status, 200);
  t.true((await list.text()).length > 64 * KIB);
});
