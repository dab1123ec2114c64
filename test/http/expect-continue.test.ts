import { continueWhenRead } from '@bucketware/koa';
import test, { type ExecutionContext } from 'ava';
import express from 'express';
import { open, opening } from './raw.js';
import { listen } from './servers.js';
import { serve } from './stalling.js';

const all = ['koa', 'express5', 'express4', 'node', 'fastify', 'hono'] as const;
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const GB = 1024 ** 3;

type Client = Awaited<ReturnType<typeof open>>;

async function asking(origin: string, path: string, length: number, ...headers: string[]) {
  const client = await open(origin);
  const expect = `Content-Length: ${length}`;
  client.socket.write(opening('PUT', path, expect, 'Expect: 100-continue', ...headers));
  return client;
}

async function first({ socket, received }: Client): Promise<string> {
  if (received().length === 0) await new Promise((resolve) => socket.once('data', resolve));
  return received().toString();
}

async function prove(t: ExecutionContext, origin: string, isHeld: boolean) {
  const refusals = [
    ['/bucket/key', 6 * GB, [], 400, 'EntityTooLarge'],
    ['/no-bucket/key', GB, [], 404, 'NoSuchBucket'],
    ['/bucket/key', GB, ['x-svc-storage-class: NO'], 400, 'InvalidArgument'],
    ['/bucket/old', GB, ['If-None-Match: *'], 412, 'PreconditionFailed'],
  ] as const;
  for (const [path, length, headers, status, code] of refusals) {
    const { closed, received } = await asking(origin, path, length, ...headers);
    await closed; // Nothing was sent, so nothing is awaited.
    const text = received().toString();
    t.is(text.startsWith(CONTINUE), !isHeld, code);
    t.true(text.includes(`HTTP/1.1 ${status} `), text);
    t.true(text.includes(code), text);
  }
}

for (const carrier of all) {
  test(`${carrier}: with continueWhenRead, an upload is rejected before any of it is sent`, async (t) => {
    const { origin, server, storage } = await serve(t, carrier);
    await storage.putObject({ bucket: 'bucket', key: 'old', body: 'old' });
    server.on('checkContinue', continueWhenRead);
    await prove(t, origin, true);
  });

  test(`${carrier}: with continueWhenRead, an accepted upload gets one 100 Continue, whatever its framing`, async (t) => {
    const { origin, server, storage } = await serve(t, carrier);
    server.on('checkContinue', continueWhenRead);
    const sizes = { short: 5, long: 200_000 };
    for (const [key, size] of Object.entries(sizes)) {
      const client = await asking(origin, `/bucket/${key}`, size, 'Connection: close');
      t.is(await first(client), CONTINUE);
      client.socket.write('x'.repeat(size));
      await client.closed;
      const text = client.received().toString();
      t.is(text.lastIndexOf(CONTINUE), 0);
      t.true(text.slice(CONTINUE.length).startsWith('HTTP/1.1 200 '));
      t.is((await storage.getObjectMeta({ bucket: 'bucket', key })).size, size);
    }
  });

  test(`${carrier}: a client that does not wait for 100 Continue is also served`, async (t) => {
    const { origin, server, storage } = await serve(t, carrier);
    server.on('checkContinue', continueWhenRead);
    const client = await asking(origin, '/bucket/key', 5, 'Connection: close');
    client.socket.write('hello');
    await client.closed;
    t.true(client.received().toString().includes('HTTP/1.1 200 '));
    t.is((await storage.getObjectMeta({ bucket: 'bucket', key: 'key' })).size, 5);
  });
}

test('without continueWhenRead, Node sends 100 Continue for every upload, even one that is then rejected', async (t) => {
  const { origin, storage } = await serve(t, 'node');
  await storage.putObject({ bucket: 'bucket', key: 'old', body: 'old' });
  await prove(t, origin, false);
});

test("with continueWhenRead, the host's own body parsers get their bodies", async (t) => {
  const app = express();
  app.post('/refused', (_req, res) => void res.status(403).send('no'));
  app.post('/json', express.json(), (req, res) => void res.json(req.body));
  const { origin, server, close } = await listen(app);
  t.teardown(close);
  server.on('checkContinue', continueWhenRead);
  const ask = async (path: string) => {
    const client = await open(origin);
    const type = 'Content-Type: application/json';
    const expect = ['Content-Length: 7', 'Expect: 100-continue', 'Connection: close'];
    client.socket.write(opening('POST', path, type, ...expect));
    return client;
  };
  const wanted = await ask('/json');
  t.is(await first(wanted), CONTINUE);
  wanted.socket.write('{"a":1}');
  await wanted.closed;
  t.true(wanted.received().toString().endsWith('{"a":1}'));
  // Express reads the body to its end before it responds.
  const unknown = await ask('/unknown');
  t.is(await first(unknown), CONTINUE);
  unknown.socket.write('{"a":1}');
  await unknown.closed;
  t.regex(unknown.received().toString(), /HTTP\/1\.1 404 /);
  const refused = await ask('/refused');
  t.true((await first(refused)).startsWith('HTTP/1.1 403 '));
  await refused.closed;
});
