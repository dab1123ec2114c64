import { storageConsole as expressConsole } from '@bucketware/console/express';
import { storageConsole as koaConsole } from '@bucketware/console/koa';
import test from 'ava';
import express, { type ErrorRequestHandler } from 'express';
import Koa from 'koa';
import { listen, memoryStorage } from './servers.js';

/** Logins that identify nobody, by mistake. */
const logins: Readonly<Record<string, () => unknown>> = {
  'a user of the app': () => ({ id: 7, email: 'alice@example.com' }),
  true: () => true,
  'a rejection without an error': () => Promise.reject(undefined),
};

for (const [name, login] of Object.entries(logins)) {
  test(`a console whose login returns ${name} fails with an error of the app`, async (t) => {
    const storage = await memoryStorage();
    const shared: unknown[] = [];
    const errors: unknown[] = [];
    const options = {
      principal: login as () => undefined,
      share: ({ principal }: { principal: unknown }) => void shared.push(principal),
      health: (principal: unknown) => shared.push(principal) > 0,
    };
    const inKoa = new Koa().use(koaConsole(storage, { ...options, mount: '/console' }));
    inKoa.on('error', (error) => errors.push(error));
    const inExpress = express().use('/console', expressConsole(storage, options));
    const report: ErrorRequestHandler = (error, _req, res, _next) => {
      errors.push(error);
      res.sendStatus(500);
    };
    inExpress.use(report);

    for (const listener of [inKoa.callback(), inExpress]) {
      const { origin, close } = await listen(listener);
      t.teardown(close);
      const link = JSON.stringify({ bucket: 'photos', key: 'cat.jpg', expiresIn: 60 });
      const requests: readonly [string, RequestInit][] = [
        ['session', {}],
        ['health', {}],
        ['links', { method: 'POST', body: link, headers: { 'sec-fetch-site': 'same-origin' } }],
      ];
      for (const [path, init] of requests) {
        const response = await fetch(`${origin}/console/${path}`, init);
        t.is(response.status, 500, path);
        const error = errors.pop();
        t.true(error instanceof Error, path);
        t.regex((error as Error).message, /principal/);
      }
    }
    t.deepEqual(shared, []);
    await storage.close();
  });
}
