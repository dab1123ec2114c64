import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { closeServer } from '@bucketware/example-shared';
import test, { type ExecutionContext } from 'ava';
import { temporaryDirectory } from '../drivers/fixtures.js';
import { EXAMPLES, type Example, startExample } from '../http/example-app.js';
import { call, dial } from '../http/raw.js';

const BUCKET = '/storage/bucket';
const HEAD = 'Host: x\r\nAuthorization: Bearer alice\r\nConnection: close\r\n';

async function start(t: ExecutionContext, example: Example) {
  const { path, remove } = await temporaryDirectory();
  const app = await startExample(example, path);
  t.teardown(async () => {
    await app.stop('SIGKILL');
    await remove();
  });
  await call(app.origin, 'PUT', BUCKET);
  return { app, path };
}

/** Resolves when the server accepts no more connections. */
async function closed(origin: string): Promise<void> {
  const { hostname, port } = new URL(origin);
  for (;;) {
    const socket = connect({ host: hostname, port: Number(port) });
    const refused = await new Promise((resolve) => {
      socket.once('connect', () => resolve(false));
      socket.once('error', () => resolve(true));
    });
    socket.destroy();
    if (refused) return;
  }
}

for (const example of EXAMPLES) {
  test(`${example}: on SIGTERM, a running upload is completed, then the process ends with 0`, async (t) => {
    const { app, path } = await start(t, example);
    const half = Buffer.alloc(500_000, 'half');
    const socket = await dial(app.origin);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.write(`PUT ${BUCKET}/key HTTP/1.1\r\n${HEAD}Content-Length: 1000000\r\n\r\n`);
    socket.write(half);
    await call(app.origin, 'GET', BUCKET); // By now, the server has received the upload.
    const ended = app.stop('SIGTERM');
    await closed(app.origin);
    socket.write(half);
    await once(socket, 'close');
    t.regex(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 200 /);
    t.deepEqual(await ended, { code: 0, signal: null });
    t.is(app.errors(), '');

    const again = await startExample(example, path);
    const found = await call(again.origin, 'GET', `${BUCKET}/key`);
    t.true(Buffer.concat([half, half]).equals(found.body));
    t.is((await again.stop('SIGTERM')).code, 0);
  });

  test(`${example}: on SIGTERM, a running download is completed, then the process ends with 0`, async (t) => {
    const { app } = await start(t, example);
    const body = Buffer.alloc(40_000_000, 'download');
    t.is((await call(app.origin, 'PUT', `${BUCKET}/key`, { body })).status, 200);
    const socket = await dial(app.origin);
    socket.write(`GET ${BUCKET}/key HTTP/1.1\r\n${HEAD}\r\n`);
    const [first] = (await once(socket, 'data')) as [Buffer];
    socket.pause();
    const chunks = [first];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.pause();
    const ended = app.stop('SIGTERM');
    await closed(app.origin);
    socket.resume();
    await once(socket, 'close');
    const all = Buffer.concat(chunks);
    t.true(all.subarray(all.indexOf('\r\n\r\n') + 4).equals(body));
    t.deepEqual(await ended, { code: 0, signal: null });
    t.is(app.errors(), '');
  });

  test(`${example}: idle keep-alive connections do not delay the end`, async (t) => {
    const { app } = await start(t, example);
    const socket = await dial(app.origin);
    socket.write('GET /storage HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer alice\r\n\r\n');
    await once(socket, 'data');
    t.deepEqual(await app.stop('SIGTERM'), { code: 0, signal: null });
  });
}

test('a busy keep-alive connection is closed after its running request', async (t) => {
  const server = createServer((_, res) => {
    closing = closeServer(server);
    setImmediate(() => res.end('whole')); // By now, the server has closed idle connections.
  });
  let closing: Promise<void> | undefined;
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = new Agent({ keepAlive: true });
  t.teardown(() => agent.destroy());
  const { port } = server.address() as AddressInfo;
  const [answer] = await once(get({ host: '127.0.0.1', port, agent }), 'response');
  t.is(await text(answer), 'whole');
  await closing;
  t.false(server.listening);
});
