import { storageMiddleware } from '@bucketware/express';
import test, { type ExecutionContext } from 'ava';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import express4 from 'express4';
import supertest from 'supertest';
import { proveMounted } from './mounting.js';
import { call } from './raw.js';
import { listen, memoryStorage, principalOf } from './servers.js';

const versions = { 'Express 5': express, 'Express 4': express4 };
const options = { principal: principalOf };

/** An app with a route before the storage and one after it. */
async function host(
  t: ExecutionContext,
  framework: typeof express,
  install: (app: Express) => void,
): Promise<string> {
  const app = framework();
  app.get('/before', (_req, res) => {
    res.send('before');
  });
  install(app);
  app.use((req, res) => {
    res.send(`the host's ${req.method} ${req.originalUrl}`);
  });
  const { origin, close } = await listen(app);
  t.teardown(close);
  return origin;
}

async function proveHost(t: ExecutionContext, origin: string): Promise<void> {
  t.is((await supertest(origin).get('/before')).text, 'before');
  for (const path of ['/', '/after?x=1', '/stor', '/storagex/bucket']) {
    t.is((await supertest(origin).get(path)).text, `the host's GET ${path}`);
  }
  const posted = await supertest(origin).post('/after').send({ a: 1 });
  t.is(posted.text, "the host's POST /after");
}

for (const [name, framework] of Object.entries(versions)) {
  test(`${name}: app.use('/storage')`, async (t) => {
    const storage = await memoryStorage();
    const origin = await host(t, framework, (app) => {
      app.use('/storage', storageMiddleware(storage, options));
    });
    await proveMounted(t, origin, '/storage');
    await proveHost(t, origin);
  });

  test(`${name}: the option \`mount\` at the root of the app`, async (t) => {
    const storage = await memoryStorage();
    const origin = await host(t, framework, (app) => {
      app.use(storageMiddleware(storage, { ...options, mount: '/storage' }));
    });
    await proveMounted(t, origin, '/storage');
    await proveHost(t, origin);
  });

  test(`${name}: routers within routers, and a parameter of the path`, async (t) => {
    const storage = await memoryStorage();
    const origin = await host(t, framework, (app) => {
      const [outer, inner] = [framework.Router(), framework.Router({ mergeParams: true })];
      inner.use('/files', storageMiddleware(storage, options));
      outer.use('/t/:tenant', inner);
      outer.get('/mine', (_req, res) => {
        res.send('mine');
      });
      app.use('/api', outer);
    });
    await proveMounted(t, origin, '/api/t/acme/files');
    await proveMounted(t, origin, '/api/t/a%2Fb/files');
    t.is((await supertest(origin).get('/api/mine')).text, 'mine');
    await proveHost(t, origin);
  });

  test(`${name}: an app within an app`, async (t) => {
    const storage = await memoryStorage();
    const origin = await host(t, framework, (app) => {
      const part = framework();
      part.use('/files', storageMiddleware(storage, options));
      app.use('/part', part);
    });
    await proveMounted(t, origin, '/part/files');
    await proveHost(t, origin);
  });
}

test('Express 5: app.all with an optional wildcard', async (t) => {
  const storage = await memoryStorage();
  const origin = await host(t, express, (app) => {
    app.all('/storage{/*path}', storageMiddleware(storage, options));
  });
  await proveMounted(t, origin, '/storage');
  await proveHost(t, origin);
});

test('Express 5: app.route with a wildcard, for everything below the root of the storage', async (t) => {
  const storage = await memoryStorage();
  const origin = await host(t, express, (app) => {
    app.route('/storage').all(storageMiddleware(storage, { ...options, mount: '/storage' }));
    app.route('/storage/*path').all(storageMiddleware(storage, options));
  });
  await proveMounted(t, origin, '/storage');
  await proveHost(t, origin);
});

test('Express 5: a wildcard after a parameter', async (t) => {
  const storage = await memoryStorage();
  const origin = await host(t, express, (app) => {
    app.all('/t/:tenant/files{/*path}', storageMiddleware(storage, options));
  });
  await proveMounted(t, origin, '/t/acme/files');
  await proveMounted(t, origin, '/t/a%2Fb/files');
  await proveHost(t, origin);
});

test('Express 4: app.all with a wildcard', async (t) => {
  const storage = await memoryStorage();
  const origin = await host(t, express4, (app) => {
    app.all('/storage', storageMiddleware(storage, { ...options, mount: '/storage' }));
    app.all('/storage/*', storageMiddleware(storage, options));
  });
  await proveMounted(t, origin, '/storage');
  await proveHost(t, origin);
});

test('Express 5: a wildcard route in a router that is mounted', async (t) => {
  const storage = await memoryStorage();
  const origin = await host(t, express, (app) => {
    const router = express.Router();
    router.all('/files{/*path}', storageMiddleware(storage, options));
    app.use('/api', router);
  });
  await proveMounted(t, origin, '/api/files');
  await proveHost(t, origin);
});

test('Express 4: a wildcard route in a router that is mounted', async (t) => {
  const storage = await memoryStorage();
  const origin = await host(t, express4, (app) => {
    const router = express4.Router();
    router.all('/files', storageMiddleware(storage, { ...options, mount: '/files' }));
    router.all('/files/*', storageMiddleware(storage, options));
    app.use('/api', router);
  });
  await proveMounted(t, origin, '/api/files');
  await proveHost(t, origin);
});

test('Express 5: a list of routes with a wildcard each', async (t) => {
  const storage = await memoryStorage();
  const origin = await host(t, express, (app) => {
    app.all(['/storage{/*path}', '/files{/*path}'], storageMiddleware(storage, options));
  });
  await proveMounted(t, origin, '/storage');
  await proveMounted(t, origin, '/files');
  await proveHost(t, origin);
});

for (const [name, framework] of Object.entries(versions)) {
  test(`${name}: a route that does not show where the storage is mounted is rejected`, async (t) => {
    const storage = await memoryStorage();
    const some = name === 'Express 5' ? '*path' : '*';
    for (const route of [
      /^\/storage\//,
      ['/storage', `/storage/${some}`],
      [`/storage/${some}`, `/a/storage/${some}`],
      [/^\/storage/],
    ]) {
      const app = framework();
      app.all(route as never, storageMiddleware(storage, options));
      app.use(((error, _req, res, _next) => {
        res.status(500).send(error.message);
      }) as ErrorRequestHandler);
      const { origin, close } = await listen(app);
      t.teardown(close);
      const { status, text } = await supertest(origin).put('/storage/bucket');
      t.is(status, 500, String(route));
      t.regex(text, /option mount/);
    }
  });

  test(`${name}: any route works with the option \`mount\``, async (t) => {
    const storage = await memoryStorage();
    const origin = await host(t, framework, (app) => {
      const mount = '/storage';
      app.all(/^\/storage(\/|$)/, storageMiddleware(storage, { ...options, mount }));
    });
    await proveMounted(t, origin, '/storage');
    await proveHost(t, origin);
  });

  test(`${name}: an earlier route that calls next does not affect where the storage is mounted`, async (t) => {
    const storage = await memoryStorage();
    const origin = await host(t, framework, (app) => {
      const goOn: RequestHandler = (_req, _res, next) => next();
      app.all(name === 'Express 5' ? '/api/*path' : '/api/*', goOn);
      app.all(/^\/api/, goOn);
      app.all(name === 'Express 5' ? '/api/*path' : '/api/*', goOn);
      app.use('/api/storage', storageMiddleware(storage, options));
    });
    await proveMounted(t, origin, '/api/storage');
    await proveHost(t, origin);
  });
}

for (const [name, framework, install] of [
  [
    'Express 4: an earlier guard with a wildcard, and a mount with a group',
    express4,
    (app, storage) => {
      app.all('/storage/first/*', (_req, _res, next) => next());
      app.use(/^\/(storage|files)/, storage);
    },
  ],
  [
    'Express 5: an earlier guard whose wildcard has the name of the parameter of the mount',
    express,
    (app, storage) => {
      app.all('/storage/*place', (_req, _res, next) => next());
      app.use('/:place', storage);
    },
  ],
] satisfies [string, typeof express, (app: Express, storage: RequestHandler) => void][]) {
  test(name, async (t) => {
    const storage = await memoryStorage();
    for (const bucket of ['first', 'second']) await storage.putBucket({ bucket });
    await storage.putObject({ bucket: 'first', key: '2026/second/a', body: 'in first' });
    await storage.putObject({ bucket: 'second', key: 'a', body: 'in second' });
    const origin = await host(t, framework, (app) => {
      install(app, storageMiddleware(storage, { ...options, authorize: () => true }));
    });
    const get = async (path: string) => (await supertest(origin).get(path)).body.toString();
    t.is(await get('/storage/first/2026/second/a'), 'in first');
    t.is(await get('/storage/second/a'), 'in second');
  });
}

for (const [name, framework] of Object.entries(versions)) {
  test(`${name}: a handler of a wildcard route may call the middleware`, async (t) => {
    const storage = await memoryStorage();
    const below = storageMiddleware(storage, options);
    const root = storageMiddleware(storage, { ...options, mount: '/storage' });
    const origin = await host(t, framework, (app) => {
      app.all('/storage', (req, res, next) => root(req, res, next));
      const route = name === 'Express 5' ? '/STORAGE/*path' : '/STORAGE/*';
      app.all(route, (req, res, next) => below(req, res, next));
    });
    await proveMounted(t, origin, '/storage');
    await proveHost(t, origin);
  });
}

test('a mount that is set twice is an error, and other paths belong to the host', async (t) => {
  const storage = await memoryStorage();
  const options = { mount: '/storage', principal: () => undefined };
  for (const [path, url, status] of [
    ['/storage', '/storage/bucket', 500],
    ['/', '/other', 404],
    ['/api', '/api/other', 404],
    ['/api', '/api/storage/none', 404],
  ] as const) {
    const app = express();
    app.use(path, storageMiddleware(storage, options));
    const server = await listen(app);
    t.teardown(server.close);
    const answer = await fetch(server.origin + url);
    t.is(answer.status, status, url);
    const text = await answer.text();
    if (status === 500) t.regex(text, /mounted at \/storage twice.*Leave out the option/);
  }
});

test('in an API route of Next, without Express', async (t) => {
  const storage = await memoryStorage();
  const handle = storageMiddleware(storage, { ...options, mount: '/api/storage' });
  const { origin, close } = await listen((req, res) => {
    void handle(req as Request, res as Response, () => res.writeHead(404).end());
  });
  t.teardown(close);
  await proveMounted(t, origin, '/api/storage');
  t.is((await call(origin, 'GET', '/api/other')).status, 404);

  const path = '/api/storage/bucket/key';
  t.is((await call(origin, 'PUT', '/api/storage/bucket')).status, 200);
  const { uploadId } = JSON.parse((await call(origin, 'POST', `${path}?uploads`)).text);
  const upload = `${path}?uploadId=${uploadId}`;
  const { headers } = await call(origin, 'PUT', `${upload}&partNumber=1`, { body: 'data' });
  const body = JSON.stringify({ parts: [{ partNumber: 1, eTag: headers.etag }] });
  const completed = await call(origin, 'POST', upload, { body });
  t.is(JSON.parse(completed.text).location, origin + path);
});
