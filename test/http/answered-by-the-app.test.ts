import { once } from 'node:events';
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { storageMiddleware as expressStorage } from '@bucketware/express';
import { storageMiddleware as koaStorage } from '@bucketware/koa';
import test from 'ava';
import express from 'express';
import Koa from 'koa';
import { onDisk } from './open-files.js';
import { listen } from './servers.js';

const GONE_ON = { code: 'ERR_HTTP_HEADERS_SENT' };

for (const framework of ['Koa', 'Express']) {
  test(`${framework}: an object is closed when the app has begun a response of its own`, async (t) => {
    const { storage, closed, open } = await onDisk(t);
    await storage.putBucketAcl({ bucket: 'bucket', acl: 'public-read' });
    let begun: ServerResponse | undefined;
    const errors: unknown[] = [];
    // As an app does whose own time for a request is over.
    const principal = async ({ res }: { res: ServerResponse }) => {
      begun = res;
      res.writeHead(503);
      res.write('late, ');
      return undefined;
    };
    const koa = new Koa({ proxy: false });
    koa.on('error', (error) => errors.push(error));
    koa.use(koaStorage(storage, { principal: ({ res }) => principal({ res }) }));
    const app = express();
    app.use(expressStorage(storage, { principal: (req) => principal({ res: req.res as never }) }));
    app.use((error: unknown, _req: IncomingMessage, _res: ServerResponse, _next: unknown) => {
      errors.push(error);
    });
    const { origin, close } = await listen(framework === 'Koa' ? koa.callback() : app);
    t.teardown(close);
    const agent = new Agent({ keepAlive: true });
    t.teardown(() => agent.destroy());
    const asked = request(`${origin}/bucket/large`, { agent }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    while (errors.length === 0) await new Promise((resolve) => setImmediate(resolve));
    t.like(errors[0], GONE_ON);
    begun?.end('too late');
    await once(answer, 'end');
    t.true(await closed(), `${await open()} files are open`);
  });
}
