import { once } from 'node:events';
import { connect, constants, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StorageRequest } from '@bucketware/core';
import { serve } from '@bucketware/core/node';
import { storageMiddleware } from '@bucketware/koa';
import test from 'ava';
import Koa from 'koa';
import { call, dial, open, opening } from './raw.js';
import { alice, listen, memoryStorage } from './servers.js';

const bucket = 'bucket';

test('Koa does not log clients that disconnect during downloads or uploads', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket });
  await storage.as(alice).putObject({ bucket, key: 'large', body: Buffer.alloc(24 * 1024 ** 2) });
  await storage.as(alice).putObject({ bucket, key: 'small', body: 'small' });
  const app = new Koa();
  const errors: unknown[] = [];
  app.on('error', (error) => errors.push(error));
  const onError = (error: unknown) => errors.push(error);
  app.use(storageMiddleware(storage, { principal: () => alice, onError }));
  const { origin, close } = await listen(app.callback());
  t.teardown(close);
  const requests = [
    opening('GET', '/bucket/large'),
    opening('GET', '/bucket/large').repeat(3),
    opening('GET', '/bucket/small').repeat(3),
    `${opening('PUT', '/bucket/key', 'Content-Length: 500000')}begun`,
    `${opening('PUT', '/bucket/key', 'Content-Length: 5')}b`,
    `${opening('PUT', '/bucket/key/', 'Content-Length: 5', 'Expect: 100-continue')}b`,
  ];
  for (const request of requests) {
    for (const leave of ['destroy', 'resetAndDestroy', 'end'] as const) {
      for (const after of [0, 1, 30]) {
        const socket = await dial(origin);
        socket.write(request);
        await sleep(after);
        socket.pause();
        socket[leave]();
        if (leave === 'end') setTimeout(() => socket.destroy(), 50);
      }
    }
  }
  await sleep(200);
  t.deepEqual(errors, []);
  t.is((await call(origin, 'GET', '/bucket/small')).text, 'small');
});

for (const method of ['GET', 'HEAD']) {
  test(`in HTTP/2, the signal of ${method} aborts when its client cancels it, and not after its response`, async (t) => {
    const requests: StorageRequest[] = [];
    const answers: (() => void)[] = [];
    const server = createServer((req, res) => {
      const context = { url: req.url, mount: '', principal: () => undefined };
      const handle = async (received: StorageRequest) => {
        requests.push(received);
        await new Promise<void>((resolve) => answers.push(resolve));
        return { status: 200, headers: { 'content-length': '2' }, body: 'ok' };
      };
      void serve(handle, req as never, res as never, context);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    t.teardown(() => {
      client.destroy();
      server.close();
    });
    const begin = async () => {
      const stream = client.request({ ':method': method, ':path': '/' }).resume();
      const before = requests.length;
      while (requests.length === before) await sleep(1);
      return { stream, request: requests.at(-1) as StorageRequest };
    };

    const served = await begin();
    const { signal } = served.request;
    answers.at(-1)?.();
    await once(served.stream, 'close');
    await sleep(20);
    t.false(signal?.aborted);

    const left = await begin();
    const { signal: abandoned } = left.request;
    left.stream.close(constants.NGHTTP2_CANCEL);
    await once(abandoned as AbortSignal, 'abort');
    t.is(abandoned?.reason.code, 'ReadBodyError');

    const late = await begin();
    late.stream.close(constants.NGHTTP2_CANCEL);
    while (!late.request.isGone?.()) await sleep(1);
    t.true(late.request.signal?.aborted);
    for (const answer of answers) answer();
  });
}

test('the signal of a request aborts when its client disconnects, and not after its response', async (t) => {
  let request: StorageRequest | undefined;
  let answer = () => {};
  const { origin, close } = await listen(async (req, res) => {
    const context = { url: req.url ?? '/', mount: '', principal: () => undefined };
    await serve(
      async (received) => {
        request = received;
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        return { status: 200, headers: { 'content-length': '2' }, body: 'ok' };
      },
      req,
      res,
      context,
    );
  });
  t.teardown(close);
  const begun = async () => {
    request = undefined;
    const connection = await open(origin);
    connection.socket.write(opening('GET', '/', 'Connection: close'));
    while (request === undefined) await sleep(1);
    return { ...connection, request: request as StorageRequest };
  };

  const served = await begun();
  const { signal } = served.request;
  t.is(served.request.signal, signal);
  answer();
  await served.closed;
  t.true(served.received().toString().endsWith('ok'));
  await sleep(20);
  t.false(signal?.aborted);

  const left = await begun();
  const { signal: abandoned } = left.request;
  left.socket.destroy();
  await once(abandoned as AbortSignal, 'abort');
  t.is(abandoned?.reason.code, 'ReadBodyError');

  const late = await begun();
  late.socket.destroy();
  while (!late.request.isGone?.()) await sleep(1);
  t.true(late.request.signal?.aborted);
  answer();
});
