import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { storageMiddleware } from '@bucketware/express';
import test, { type ExecutionContext } from 'ava';
import express from 'express';
import { bodyOf, call, open, opening } from './raw.js';
import { alice, listen, memoryStorage, principalOf } from './servers.js';

const bucket = 'bucket';

/** An app whose middleware gets each request before the storage. */
async function behind(t: ExecutionContext, see: (req: IncomingMessage) => void) {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket });
  await storage.as(alice).putObject({ bucket, key: 'key', body: 'old' });
  const app = express();
  app.use((req, _res, next) => {
    see(req);
    next();
  });
  app.use(storageMiddleware(storage, { principal: principalOf }));
  const { origin, close } = await listen(app);
  t.teardown(close);
  return origin;
}

const FRAMED = [
  { header: 'Content-Length: 6', first: 'new', rest: 'new' },
  { header: 'Transfer-Encoding: chunked', first: '3\r\nnew\r\n', rest: '3\r\nnew\r\n0\r\n\r\n' },
];

for (const when of ['before the storage', 'while the storage']) {
  test(`a body that the app has decoded ${when} reads it is rejected, and the old object stays`, async (t) => {
    const isEarly = when === 'before the storage';
    let seen: IncomingMessage | undefined;
    const origin = await behind(t, (req) => {
      if (req.method !== 'PUT') return;
      if (isEarly) req.setEncoding('utf8');
      seen = req;
    });
    for (const { header, first, rest } of FRAMED) {
      seen = undefined;
      const { socket, received, closed } = await open(origin);
      socket.write(opening('PUT', `/${bucket}/key`, header, 'Connection: close') + first);
      while (seen === undefined) await turn();
      while (!isEarly && !(seen as IncomingMessage).readableDidRead) await turn();
      if (!isEarly) (seen as IncomingMessage).setEncoding('utf8');
      socket.write(rest);
      await closed;
      t.regex(received().toString(), /^HTTP\/1.1 500 /);
      t.regex(JSON.parse(bodyOf(received()).toString()).message, /setEncoding\(\)/);
      t.is((await call(origin, 'GET', `/${bucket}/key`)).text, 'old');
    }
  });
}

test('a program cannot store a request that was decoded', async (t) => {
  const storage = await memoryStorage();
  const name = { bucket, key: 'key' };
  await storage.putBucket({ bucket });
  await storage.putObject({ ...name, body: 'old' });
  for (const when of ['before', 'at once', 'later'] as const) {
    const { origin, close } = await listen(async (req, res) => {
      if (when === 'before') req.setEncoding('latin1');
      const storing = storage.putObject({ ...name, body: req }).catch((error) => error);
      if (when === 'at once') req.setEncoding('latin1');
      if (when === 'later') req.once('data', () => req.setEncoding('latin1'));
      const { code, message } = await storing;
      res.end(`${code}: ${message}`);
    });
    const { socket, received, closed } = await open(origin);
    socket.write(opening('PUT', '/', 'Transfer-Encoding: chunked', 'Connection: close'));
    for (const chunk of ['3\r\nn\xe9w\r\n', '3\r\nn\xe9w\r\n', '0\r\n\r\n']) {
      await sleep(10);
      socket.write(chunk, 'latin1');
    }
    await closed;
    t.is(await (await storage.getObject(name)).text(), 'old', when);
    if (when !== 'later') t.regex(received().toString(), /InvalidArgument: .*setEncoding\(\)/);
    await close();
  }
});
