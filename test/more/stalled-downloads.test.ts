import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BlobStore } from '@bucketware/core';
import test from 'ava';
import { until } from '../drivers/fixtures.js';
import { openFiles } from '../http/open-files.js';
import { bodyOf, open, opening } from '../http/raw.js';
import { delegate } from '../http/soundness.js';
import { STALL, serve } from '../http/stalling.js';

const all = ['koa', 'express5', 'express4', 'node'] as const;
const MB = 1024 * 1024;
/** More than the kernel buffers for a client that does not read. */
const large = Buffer.alloc(32 * MB, 'download');

for (const carrier of all) {
  test(`${carrier}: a download that is not read is ended, and its file closed`, async (t) => {
    const failures: unknown[] = [];
    const onError = (error: unknown) => failures.push(error);
    let reads = 0;
    const wrap = (blobs: BlobStore): BlobStore => ({
      ...delegate(blobs),
      read: (id, range) => {
        reads++;
        return blobs.read(id, range);
      },
    });
    const { origin, storage, directory } = await serve(t, carrier, { onError, wrap });
    await storage.putObject({ bucket: 'bucket', key: 'one', body: large });
    const upload = { bucket: 'bucket', key: 'parts' };
    const { uploadId } = await storage.initiateMultipartUpload(upload);
    const parts = await Promise.all(
      [1, 2].map(async (partNumber) => {
        const body = large.subarray(0, 16 * MB);
        const { etag: eTag } = await storage.uploadPart({ ...upload, uploadId, partNumber, body });
        return { partNumber, eTag };
      }),
    );
    await storage.completeMultipartUpload({ ...upload, uploadId, parts });
    const clients = await Promise.all(
      ['one', 'parts'].map(async (key) => {
        const { socket, closed, received } = await open(origin);
        socket.pause();
        socket.write(opening('GET', `/bucket/${key}`));
        return { socket, closed, received };
      }),
    );
    const start = performance.now();
    await until(() => reads === 2);
    await until(async () => (await openFiles(directory)) === 0);
    t.true(performance.now() - start > STALL / 2);
    for (const { socket, closed, received } of clients) {
      socket.resume();
      await closed;
      t.regex(received().toString('latin1', 0, 20), /^HTTP\/1\.1 200 /);
      t.true(bodyOf(received()).length < large.length);
    }
    t.deepEqual(failures, []);
  });

  test(`${carrier}: a client that reads slowly but steadily gets everything`, async (t) => {
    // The kernel's buffers hide reads: the server notices them in steps of up to a megabyte.
    const stallTimeout = 4 * STALL;
    const { origin, storage } = await serve(t, carrier, { stallTimeout });
    const body = large.subarray(0, 24 * MB);
    await storage.putObject({ bucket: 'bucket', key: 'key', body });
    const { socket, closed, received } = await open(origin);
    socket.write(opening('GET', '/bucket/key', 'Connection: close'));
    const start = performance.now();
    const reading = setInterval(() => {
      socket.resume();
      socket.once('data', () => socket.pause());
    }, 10);
    await closed;
    clearInterval(reading);
    t.true(performance.now() - start > 1.5 * stallTimeout, 'it was not slow at all');
    t.true(bodyOf(received()).equals(body));
  });

  test(`${carrier}: a slow disk does not count as a stalled client`, async (t) => {
    const { origin, storage } = await serve(t, carrier, {
      wrap: (blobs) => ({
        ...delegate(blobs),
        async read(id, range) {
          const stream = await blobs.read(id, range);
          const read = stream._read;
          let slow = 2;
          stream._read = (size) => {
            setTimeout(() => read.call(stream, size), slow-- > 0 ? 3 * STALL : 0);
          };
          return stream;
        },
      }),
    });
    const body = large.subarray(0, MB);
    await storage.putObject({ bucket: 'bucket', key: 'key', body });
    const { socket, closed, received } = await open(origin);
    socket.write(opening('GET', '/bucket/key', 'Connection: close'));
    await closed;
    t.true(bodyOf(received()).equals(body));
  });

  test(`${carrier}: small responses that are never read end the connection`, async (t) => {
    const { origin, server, storage } = await serve(t, carrier);
    const body = large.subarray(0, 60_000);
    await storage.putObject({ bucket: 'bucket', key: 'key', body });
    const accepted = once(server, 'connection');
    const { socket, closed } = await open(origin);
    const [served] = await accepted;
    socket.setMaxListeners(0);
    socket.pause();
    for (let count = 0; count < 1_000; count++) socket.write(opening('GET', '/bucket/key'));
    await until(() => served.destroyed);
    socket.destroy();
    await closed;
    t.pass();
  });

  test(`${carrier}: an idle connection is not ended by the stallTimeout`, async (t) => {
    const { origin, server } = await serve(t, carrier);
    for (const keepAliveTimeout of [0, 60_000]) {
      Object.assign(server, { keepAliveTimeout });
      const { socket, received } = await open(origin);
      for (const answers of [1, 2]) {
        socket.write(opening('GET', '/bucket/none'));
        await until(
          () =>
            received()
              .toString()
              .match(/HTTP\/1\.1 404/g)?.length === answers,
        );
        await sleep(2.5 * STALL);
        t.false(socket.destroyed || socket.readableEnded);
      }
      socket.destroy();
    }
  });

  test(`${carrier}: Node's own timeouts for idle connections still apply`, async (t) => {
    const { origin, server, storage } = await serve(t, carrier, { stallTimeout: 60_000 });
    await storage.putObject({ bucket: 'bucket', key: 'large', body: large });
    server.keepAliveTimeout = 50;
    const { socket, closed, received } = await open(origin);
    socket.write(opening('GET', '/bucket/none'));
    await closed;
    t.regex(received().toString(), /^HTTP\/1\.1 404 /);

    Object.assign(server, { keepAliveTimeout: 0, timeout: 123_456 });
    const accepted = once(server, 'connection');
    const client = await open(origin);
    const [served] = await accepted;
    for (const key of ['none', 'large']) {
      client.socket.write(opening('GET', `/bucket/${key}`));
      await until(() => client.received().length > 0 && served.timeout === 123_456);
    }
    client.socket.destroy();
    t.pass();
  });
}

for (const carrier of ['koa', 'node'] as const) {
  test(`${carrier}: a pipelined request is not ended by the time that earlier ones took`, async (t) => {
    const pauses: Readonly<Record<string, number>> = { second: STALL / 4, third: 3 * STALL };
    const { origin, storage } = await serve(t, carrier, {
      async authorize({ key = '' }) {
        await sleep(pauses[key] ?? 0);
        return true;
      },
    });
    await storage.putObject({ bucket: 'bucket', key: 'first', body: large });
    for (const key of ['second', 'third'])
      await storage.putObject({ bucket: 'bucket', key, body: key });
    const { socket, closed, received } = await open(origin);
    socket.pause();
    socket.write(opening('GET', '/bucket/first') + opening('GET', '/bucket/second'));
    socket.write(opening('GET', '/bucket/third', 'Connection: close'));
    await sleep(STALL / 2);
    socket.resume();
    await closed;
    t.true(received().subarray(-5).equals(Buffer.from('third')));
  });
}
