import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectStorage } from '@bucketware/core';
import test from 'ava';
import { openFiles } from '../http/open-files.js';
import { call, dial, open, opening } from '../http/raw.js';
import { alice } from '../http/servers.js';
import { serve } from '../http/stalling.js';

const bucket = 'bucket';
/** More than the buffers of a connection can hold. */
const LARGE = 24 * 1024 * 1024;
const FRAMEWORKS = ['koa', 'express5', 'express4', 'node', 'fastify', 'hono'] as const;

const settles = async (probe: () => Promise<boolean>): Promise<boolean> => {
  for (let tries = 0; tries < 200; tries++) {
    if (await probe()) return true;
    await sleep(20);
  }
  return false;
};

const successesIn = (received: Buffer): number =>
  received.toString('latin1').match(/HTTP\/1\.1 200/g)?.length ?? 0;

const putLarge = (storage: ObjectStorage, key: string) =>
  storage.as(alice).putObject({ bucket, key, body: Buffer.alloc(LARGE, key) });

for (const framework of FRAMEWORKS) {
  test.serial(`${framework}: pipelined downloads are opened one after the other`, async (t) => {
    const { origin, storage, directory } = await serve(t, framework, { stallTimeout: 60_000 });
    await putLarge(storage, 'large');
    const socket = await dial(origin);
    socket.pause();
    const before = process.memoryUsage().arrayBuffers;
    socket.write(opening('GET', '/bucket/large').repeat(250));
    t.true(await settles(async () => (await openFiles(directory)) > 0));
    await sleep(300);
    t.is(await openFiles(directory), 1);
    // Resident memory also depends on the allocator, so only buffers are measured.
    const grown = process.memoryUsage().arrayBuffers - before;
    t.true(grown < LARGE, `buffers grew by ${grown} bytes`);
    socket.destroy();
    t.true(await settles(async () => (await openFiles(directory)) === 0));
  });

  test(`${framework}: pipelined requests get their responses in order`, async (t) => {
    const { origin, storage } = await serve(t, framework);
    await storage.as(alice).putObject({ bucket, key: 'large', body: Buffer.alloc(300_000) });
    const { socket, closed, received } = await open(origin);
    const put = (text: string, ...headers: string[]) =>
      `${opening('PUT', '/bucket/key', `Content-Length: ${text.length}`, ...headers)}${text}`;
    const bytes = Buffer.from('b'.repeat(200_000)).toString();
    socket.write(
      opening('GET', '/bucket/large') +
        put('first') +
        opening('GET', '/bucket/key') +
        put(bytes) +
        opening('HEAD', '/bucket/key') +
        opening('GET', '/bucket/key', 'Connection: close'),
    );
    await closed;
    const answers = received().toString('latin1');
    const statuses = answers.match(/HTTP\/1\.1 \d+/g);
    t.deepEqual(statuses, Array(6).fill('HTTP/1.1 200'));
    t.regex(answers, /\r\n\r\nfirstHTTP/);
    t.true(answers.endsWith(`\r\n\r\n${bytes}`));
  });

  test(`${framework}: 257 pipelined requests may wait on a connection, and 20,000 end it`, async (t) => {
    const { origin, storage } = await serve(t, framework);
    await storage.as(alice).putObject({ bucket, key: 'key', body: 'x' });
    const send = async (requests: number) => {
      const { socket, closed, received } = await open(origin);
      const ahead = opening('GET', '/bucket/key').repeat(requests - 1);
      socket.write(ahead + opening('GET', '/bucket/key', 'Connection: close'));
      await closed;
      return successesIn(received());
    };
    t.is(await send(257), 257);
    t.true((await send(20_000)) < 20_000);
    t.is((await call(origin, 'GET', '/bucket/key')).text, 'x');
  });

  test(`${framework}: pipelined requests with many headers end the connection sooner`, async (t) => {
    const { origin, storage } = await serve(t, framework);
    await putLarge(storage, 'large');
    const send = async (headers: number) => {
      const { socket, closed, received } = await open(origin);
      const fields = Array.from({ length: headers }, (_, at) => `x${at}: 1`);
      const behind = opening('HEAD', '/bucket/large', ...fields).repeat(50);
      const last = opening('HEAD', '/bucket/large', 'Connection: close');
      socket.write(opening('GET', '/bucket/large') + behind + last);
      await closed;
      return successesIn(received());
    };
    t.is(await send(40), 52);
    t.true((await send(900)) < 52);
  });

  test(`${framework}: few large bodies may wait on a connection, and a chunked one only as the next`, async (t) => {
    const { origin, storage } = await serve(t, framework, { stallTimeout: 60_000 });
    await putLarge(storage, 'large');
    const put = (size: number) =>
      opening('PUT', '/bucket/key', `Content-Length: ${size}`) + 'x'.repeat(size);
    const sized = put(1025);
    const chunked = `${opening('PUT', '/bucket/key', 'Transfer-Encoding: chunked')}7\r\nchunked\r\n0\r\n\r\n`;
    const last = opening('HEAD', '/bucket/key', 'Connection: close');
    const send = async (...requests: string[]) => {
      const { socket, closed, received } = await open(origin);
      socket.write([opening('GET', '/bucket/large'), ...requests, last].join(''));
      await closed;
      return successesIn(received());
    };
    t.is(await send(sized, sized, sized, sized), 6);
    t.is(await send(chunked, sized), 4);
    t.true((await send(sized, sized, sized, sized, sized)) < 7);
    t.true((await send(chunked, chunked)) < 4);
    t.true((await send(sized, chunked)) < 4);
    t.is(await send(...Array<string>(50).fill(put(100))), 52);
    t.is(await send(...Array<string>(8).fill(put(1024))), 10);
    t.true((await send(...Array<string>(20).fill(put(1024)))) < 22);
  });
}
