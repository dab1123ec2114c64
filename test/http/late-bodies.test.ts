import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StorageRequest } from '@bucketware/core';
import { serve } from '@bucketware/core/node';
import test from 'ava';
import { dial } from './raw.js';

test('a client that disconnects after the time limit of its body causes no unhandled error', async (t) => {
  const outcomes: unknown[] = [];
  const handle = async ({ body }: StorageRequest) => {
    const chunks = body.chunks({ stall: 10_000, total: 50 })[Symbol.asyncIterator]();
    outcomes.push((await chunks.next()).value?.length);
    await sleep(150); // Like a parser that yields to other requests.
    outcomes.push(await chunks.next().catch(({ code }) => code));
    outcomes.push(await chunks.next());
    return { status: 408, headers: { 'content-length': '0' }, body: '' };
  };
  const server = createServer((req, res) => {
    const context = { url: '/', mount: '', principal: () => undefined };
    void serve(handle, req, res, context);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const socket = await dial(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  socket.write('POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\nabc');
  const [answer] = await once(socket, 'data');
  t.regex(String(answer), /^HTTP\/1.1 408 /);
  socket.resetAndDestroy();
  await sleep(100); // An unhandled rejection would end the process.
  t.deepEqual(outcomes, [3, 'RequestTimeout', { done: true, value: undefined }]);
});
