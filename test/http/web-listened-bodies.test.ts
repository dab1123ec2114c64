import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { toWebHandler } from '@bucketware/web';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import test, { type ExecutionContext } from 'ava';
import { Hono } from 'hono';
import type { HonoContext } from './carriers.js';
import { checkBodies } from './listened-bodies.js';
import { open, opening } from './raw.js';
import { alice, listen, memoryStorage } from './servers.js';

/** Hono on Node with middleware that gets Node's request before the storage. */
async function behind(t: ExecutionContext, see: (req: IncomingMessage) => void | Promise<void>) {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const handle = toWebHandler<HonoContext>(storage, {
    mount: '/storage',
    principal: () => alice,
    raw: (_, c) => c.env,
  });
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use((c, next) => {
    const seen = c.req.method === 'PUT' ? see(c.env.incoming as IncomingMessage) : undefined;
    return seen instanceof Promise ? seen.then(next) : next();
  });
  app.use((c, next) => handle(c.req.raw, c, next));
  app.all('*', (c) => c.text('elsewhere'));
  const { origin, close } = await listen(getRequestListener(app.fetch));
  t.teardown(close);
  return origin;
}

type See = Parameters<typeof behind>[1];

const LISTENERS: readonly (readonly [what: string, isWhole: boolean, listenTo: See])[] = [
  ['counts what flows', true, (req) => void req.on('data', () => {})],
  ['lets it flow', true, (req) => void req.resume()],
  ['counts, and has paused it', true, (req) => void req.on('data', () => {}).pause()],
  ['has it decoded', false, (req) => void req.setEncoding('utf8')],
  ['counts, and then waits', false, (req) => sleep(10, void req.on('data', () => {}))],
];

for (const [what, isWhole, listenTo] of LISTENERS) {
  test(`Hono: behind an app that ${what}, a body is never truncated`, async (t) => {
    const origin = await behind(t, listenTo);
    await checkBodies(t, origin, isWhole);
  });
}

test('Hono: an app that listens to bodies keeps its connections when the storage does not read them', async (t) => {
  let seen = 0;
  const origin = await behind(t, (req) => {
    req.on('data', (chunk: Buffer) => {
      seen += chunk.length;
    });
  });
  const { socket, received, closed } = await open(origin);
  const length = 'Content-Length: 100000';
  for (const path of ['/storage/absent/key', '/elsewhere']) {
    const before = received().length;
    socket.write(opening('PUT', path, length));
    socket.write(Buffer.alloc(100_000));
    while (received().length === before) await sleep(5);
  }
  socket.write(opening('GET', '/storage/bucket/absent', 'Connection: close'));
  await closed;
  const answers = received().toString();
  t.regex(
    answers,
    /^HTTP\/1.1 404 .*NoSuchBucket.*HTTP\/1.1 200 .*elsewhere.*HTTP\/1.1 404 .*NoSuchKey/s,
  );
  t.is(seen, 200_000);
});
