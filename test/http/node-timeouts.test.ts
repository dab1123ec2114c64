import { once } from 'node:events';
import { createServer, type Server, type ServerOptions } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { open, opening } from './raw.js';
import { alice, memoryStorage, onKoa } from './servers.js';

/** How often Node looks for late requests, in milliseconds. Its default is 30 s. */
const connectionsCheckingInterval = 50;
const TIME = 600;

/** A server created by the host, as docs/mounting.md describes. */
async function host(t: ExecutionContext, options: ServerOptions, adjust: (server: Server) => void) {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const listener = onKoa(storage, {});
  const server = createServer({ ...options, connectionsCheckingInterval }, listener);
  adjust(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    server.close();
    server.closeAllConnections();
    await storage.close();
  });
  const { port } = server.address() as { port: number };
  return { server, origin: `http://127.0.0.1:${port}` };
}

/** An upload that takes three times `TIME` without long pauses. */
async function upload(origin: string): Promise<string> {
  const { socket, closed, received } = await open(origin);
  const size = 12;
  socket.write(opening('PUT', '/bucket/key', `Content-Length: ${size}`, 'Connection: close'));
  for (let sent = 0; sent < size && !socket.destroyed; sent++) {
    await sleep((3 * TIME) / size);
    socket.write('x');
  }
  await closed;
  return received().toString();
}

test("Node's requestTimeout ends an upload that takes longer, however steady it is", async (t) => {
  const times = { headersTimeout: TIME, requestTimeout: TIME };
  const { origin } = await host(t, times, () => {});
  t.regex(await upload(origin), /^HTTP\/1\.1 408 /);
});

test('with requestTimeout = 0, the upload is accepted, and a head that does not arrive still ends the connection', async (t) => {
  const { server, origin } = await host(t, { headersTimeout: TIME }, (server) => {
    server.requestTimeout = 0;
  });
  t.is(server.headersTimeout, TIME);
  const { socket, closed } = await open(origin);
  socket.write('PUT /bucket/key HTTP/1.1\r\n');
  t.regex(await upload(origin), /^HTTP\/1\.1 200 /);
  await closed;
});

test('requestTimeout: 0 for createServer also turns off the default headersTimeout', (t) => {
  t.is(createServer({ requestTimeout: 0 }).headersTimeout, 0);
  const server = createServer();
  server.requestTimeout = 0;
  t.is(server.headersTimeout, 60_000);
});
