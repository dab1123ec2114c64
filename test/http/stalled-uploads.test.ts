import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { carriers } from './carriers.js';
import { bodyOf, call, open, opening } from './raw.js';
import { alice, listen, memoryStorage } from './servers.js';
import { delegate } from './soundness.js';
import { STALL, serve } from './stalling.js';

const all = ['koa', 'express5', 'express4', 'node'] as const;
const MB = 1024 * 1024;

/**
 * Sends a head and some data, and then nothing. Resolves to the response when the connection is
 * closed.
 */
async function stall(origin: string, head: string, bytes: string | Uint8Array = '') {
  const { socket, closed, received } = await open(origin);
  socket.write(head);
  if (bytes.length > 0) socket.write(bytes);
  const start = performance.now();
  await closed;
  return { text: received().toString(), after: performance.now() - start };
}

function refused(t: ExecutionContext, { text, after }: { text: string; after: number }) {
  t.regex(text, /^HTTP\/1\.1 408 /);
  t.regex(text, /\r\nconnection: close\r\n/i);
  const { code, message } = JSON.parse(bodyOf(Buffer.from(text)).toString());
  t.is(code, 'RequestTimeout');
  t.true(message.includes(`${STALL} milliseconds`));
  t.true(after > STALL - 50);
}

for (const carrier of all) {
  test(`${carrier}: an upload that stalls is 408 RequestTimeout, ends the connection, and leaves nothing`, async (t) => {
    const failures: unknown[] = [];
    const place = await serve(t, carrier, { onError: (error) => failures.push(error) });
    const { origin, storage } = place;
    await storage.putObject({ bucket: 'bucket', key: 'old', body: 'old' });
    await storage.appendObject({ bucket: 'bucket', key: 'log', body: 'log' });
    const { uploadId } = await storage.initiateMultipartUpload({ bucket: 'bucket', key: 'parts' });
    const part = `/bucket/parts?partNumber=1&uploadId=${uploadId}`;
    const before = await place.files();
    const long = Buffer.alloc(2 * MB, 'x');
    const chunked = 'Transfer-Encoding: chunked';
    const form = 'Content-Type: multipart/form-data; boundary=b';
    const cases = [
      [opening('POST', '/bucket', 'Content-Length: 1000', form), '--b\r\nContent-Disposition:'],
      [opening('PUT', '/bucket/new', 'Content-Length: 1000'), 'some'],
      [opening('PUT', '/bucket/new', 'Content-Length: 1000'), ''],
      [opening('PUT', '/bucket/old', 'Content-Length: 5000000'), long],
      [opening('PUT', '/bucket/new', chunked), '4\r\nsome\r\n'],
      [opening('PUT', part, 'Content-Length: 5000000'), long],
      [opening('POST', '/bucket/log?append&offset=3', 'Content-Length: 5000000'), long],
      [opening('POST', '/bucket/log?append&offset=3', 'Content-Length: 9'), 'some'],
      [opening('POST', '/bucket?delete', 'Content-Length: 90'), '{"objects":['],
      [opening('PUT', '/bucket/new', 'Content-Length: 9', 'Expect: 100-continue'), ''],
    ] as const;
    const ends = await Promise.all(
      cases.map(async ([head, bytes]) => {
        const end = await stall(origin, head, bytes);
        return { ...end, text: end.text.replace('HTTP/1.1 100 Continue\r\n\r\n', '') };
      }),
    );
    for (const end of ends) refused(t, end);
    t.is((await call(origin, 'GET', '/bucket/new')).status, 404);
    t.is((await call(origin, 'GET', '/bucket/old')).text, 'old');
    t.is((await call(origin, 'GET', '/bucket/log')).text, 'log');
    t.is((await call(origin, 'GET', `/bucket/parts?uploadId=${uploadId}`)).status, 200);
    t.is(await place.files(), before);
    t.deepEqual(failures, []);
  });

  test(`${carrier}: a slow but steady upload succeeds, and its connection is kept`, async (t) => {
    const { origin, storage } = await serve(t, carrier);
    await storage.appendObject({ bucket: 'bucket', key: 'log', body: 'log' });
    const size = 15;
    const heads = [
      opening('PUT', '/bucket/short', `Content-Length: ${size}`),
      opening('PUT', '/bucket/chunks', 'Transfer-Encoding: chunked'),
      opening('POST', '/bucket/log?append&offset=3', `Content-Length: ${size}`),
      opening('PUT', '/bucket/long', `Content-Length: ${2 * MB + size}`),
    ];
    const drip = async (head: string) => {
      const { socket, closed, received } = await open(origin);
      socket.write(head);
      if (head.includes('/long')) socket.write(Buffer.alloc(2 * MB, '-'));
      const chunked = head.includes('chunked');
      for (let sent = 0; sent < size; sent++) {
        await sleep(STALL / 5);
        socket.write(chunked ? '1\r\nx\r\n' : 'x');
      }
      if (chunked) socket.write('0\r\n\r\n');
      while (received().length === 0) await sleep(5);
      socket.write(opening('GET', '/bucket/short', 'Connection: close'));
      await closed;
      return received().toString();
    };
    const answers = await Promise.all(heads.map(drip));
    for (const answer of answers) {
      t.is(answer.match(/HTTP\/1\.1 200 /g)?.length, 2);
      t.true(answer.endsWith('x'.repeat(size)));
    }
    t.is((await call(origin, 'GET', '/bucket/chunks')).text, 'x'.repeat(size));
    t.is((await call(origin, 'GET', '/bucket/log')).text, `log${'x'.repeat(size)}`);
  });

  test(`${carrier}: a slow disk does not count as a stalled client`, async (t) => {
    const { origin } = await serve(t, carrier, {
      wrap: (blobs) => ({
        ...delegate(blobs),
        write: (id, source, options) => blobs.write(id, slowly(source), options),
      }),
    });
    /** A disk that pauses once the client has to wait for it, and again at the end. */
    async function* slowly(source: AsyncIterable<Uint8Array>) {
      let taken = 0;
      for await (const chunk of source) {
        if (taken < MB && taken + chunk.length >= MB) await sleep(3 * STALL);
        taken += chunk.length;
        yield chunk;
      }
      await sleep(2 * STALL);
    }
    const body = Buffer.alloc(16 * MB, 'slow disk');
    t.is((await call(origin, 'PUT', '/bucket/key', { body })).status, 200);
    t.true(body.equals((await call(origin, 'GET', '/bucket/key')).body));
  });
}

for (const carrier of all) {
  test(`${carrier}: an upload whose client disconnects before its body is read ends`, async (t) => {
    const storage = await memoryStorage();
    await storage.as(alice).putBucket({ bucket: 'bucket' });
    const ends: unknown[] = [];
    const handler: typeof storage.handler = (options) => {
      const handle = storage.handler(options);
      const noting = async (request: Parameters<typeof handle>[0]) => {
        const response = await handle(request);
        ends.push(response?.status);
        return response;
      };
      return Object.assign(noting, handle);
    };
    let [reads, left] = [0, false];
    const authorize = async () => {
      reads++;
      while (!left) await sleep(5);
      return true;
    };
    const carry = carriers[carrier];
    const running = await listen(carry({ ...storage, handler }, { stallTimeout: 0, authorize }));
    for (const body of ['whole', 'part']) {
      const before = reads;
      const { socket } = await open(running.origin);
      socket.write(opening('PUT', '/bucket/key', 'Content-Length: 5') + body);
      while (reads === before) await sleep(5);
      socket.destroy();
    }
    await sleep(50); // The server is notified of the disconnect asynchronously.
    left = true;
    for (let tries = 0; tries < 200 && ends.length < 2; tries++) await sleep(10);
    t.deepEqual(ends, [400, 400]);
    await running.close();
    await storage.close();
  });
}

test('a stalled append delays no other append to the same object', async (t) => {
  const { origin, storage } = await serve(t, 'node', { stallTimeout: 60_000 });
  await storage.appendObject({ bucket: 'bucket', key: 'log', body: 'log' });
  const stalled = await open(origin);
  stalled.socket.write(opening('POST', '/bucket/log?append&offset=3', 'Content-Length: 3000000'));
  stalled.socket.write(Buffer.alloc(2_999_999));
  await sleep(100);
  for (let offset = 3; offset < 13; offset++) {
    const path = `/bucket/log?append&offset=${offset}`;
    t.is((await call(origin, 'POST', path, { body: '+' })).status, 200);
  }
  stalled.socket.write('!');
  while (stalled.received().length === 0) await sleep(5);
  t.regex(stalled.received().toString(), /^HTTP\/1\.1 409 /);
  stalled.socket.destroy();
  t.is((await call(origin, 'GET', '/bucket/log')).text, `log${'+'.repeat(10)}`);
});

for (const stallTimeout of [0, 2 ** 40]) {
  test(`with a stallTimeout of ${stallTimeout}, no connection is ended`, async (t) => {
    const { origin } = await serve(t, 'node', { stallTimeout });
    const { socket, closed, received } = await open(origin);
    socket.write(opening('PUT', '/bucket/key', 'Content-Length: 2', 'Connection: close'));
    socket.write('o');
    await sleep(2 * STALL);
    socket.write('k');
    await closed;
    t.regex(received().toString(), /^HTTP\/1\.1 200 /);
  });
}

test('an invalid stallTimeout is rejected', async (t) => {
  const storage = await memoryStorage();
  for (const stallTimeout of [-1, Number.NaN, '9s' as unknown as number]) {
    t.throws(() => storage.handler({ stallTimeout }), { instanceOf: TypeError });
  }
  await storage.close();
});
