import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { storageConsole } from '@bucketware/console/koa';
import {
  accessKeys,
  closeServer,
  logIn,
  loginPage,
  uploadBucket,
  uploadPage,
  userNamed,
  userOfCookie,
  users,
  welcome,
} from '@bucketware/example-shared';
import { type KoaStorageOptions, storageMiddleware } from '@bucketware/koa';
import { s3 } from '@bucketware/s3';
import { openStorage, type Principal } from '@bucketware/storage';
import Koa from 'koa';

const {
  PORT = '3000',
  DATA_DIR = 'data',
  METADATA = 'lmdb',
  BLOBS = 'filesystem',
  DURABILITY,
  BASE_HOST = 'objects.localhost',
  S3_HOST = 's3.localhost',
  CREDENTIALS,
} = process.env;

const storage = await openStorage({
  directory: DATA_DIR,
  metadata: METADATA,
  blobs: BLOBS,
  durability: DURABILITY === 'relaxed' ? 'relaxed' : 'full',
  uniqueUserIds: true, // No two users of this app have the same userId, whatever their tenant.
});
const app = new Koa();

// The app's own login comes before everything else, including the storage.
app.use(async (ctx, next) => {
  const token = /^Bearer (\S+)$/.exec(ctx.get('authorization'))?.[1];
  const user = userNamed(token);
  if (token !== undefined && user === undefined) ctx.throw(401, 'unknown token');
  ctx.state.principal = user ?? userOfCookie(ctx.get('cookie'));
  await next();
});

// The storage, and how it identifies the caller. Body parsers go after it: it reads bodies itself.
const options: KoaStorageOptions = {
  principal: (ctx) => ctx.state.principal,
  onError: (error, { requestId, operation }) => console.error(requestId, operation, error),
};

// Clients with an access key sign their requests instead of logging in.
const { alice } = users;
const credentials = await accessKeys(CREDENTIALS, { directory: DATA_DIR, principal: alice });
const [[accessKey, { secret }] = ['', { secret: '' }]] = Object.entries(credentials);
const place = { mount: '/storage', baseHost: BASE_HOST };

// The same buckets and objects for S3 clients: at a host name for clients that accept no path in an
// endpoint, and below a path for all others.
const dialect = s3({ credentials });
app.use(storageMiddleware(storage, { ...options, dialect, host: S3_HOST }));
const files = storageMiddleware(storage, { ...options, ...place, credentials });
app.use(files);
app.use(storageMiddleware(storage, { ...options, dialect, mount: '/s3' }));

// The console, for users who are logged in. Links that they share have the rights of the access key
// that signs them. Here it is Alice's, so only she can share.
const { principal } = options;
app.use(
  storageConsole(storage, {
    principal,
    mount: '/console',
    title: 'Example',
    loginUrl: '/login',
    health: ({ userId }) => userId === alice.userId,
    share({ bucket, key, expiresIn, principal: { userId } }) {
      if (userId !== alice.userId) return undefined;
      const link = { action: 'getObject', bucket, key, expiresIn, accessKey } as const;
      return files.presign({ ...link, publicUrl: `${url}/storage` });
    },
  }),
);

// The modules of the client, which browsers load without a bundler.
const client = new URL('.', import.meta.resolve('@bucketware/client'));
app.use(async (ctx, next) => {
  const [, file] = /^\/client\/((?:[\w-]+\/)*[\w-]+\.js)$/.exec(ctx.path) ?? [];
  const source = file && (await readFile(new URL(file, client)).catch(() => undefined));
  if (!source) return next();
  ctx.type = 'text/javascript';
  ctx.body = source;
});

// The app's own routes.
app.use(async (ctx) => {
  const user: Principal | undefined = ctx.state.principal;
  switch (`${ctx.method} ${ctx.path}`) {
    case 'GET /':
      ctx.body = { app: 'koa-app', user: user?.userName ?? null };
      return;
    case 'GET /upload':
      if (user === undefined) ctx.redirect('/login');
      else ctx.body = uploadPage(await uploadBucket(storage, user));
      return;
    case 'GET /login':
      ctx.body = loginPage(Object.keys(users));
      return;
    case 'POST /login': {
      // Nobody is logged in yet: a stranger must not fill the memory.
      if (!(Number(ctx.get('content-length') || NaN) <= 1_000)) return ctx.throw(413);
      const form = new URLSearchParams(await text(ctx.req));
      const named = userNamed(form.get('user') ?? undefined);
      if (named === undefined) return ctx.redirect('/login');
      ctx.set('set-cookie', logIn(named));
      return ctx.redirect('/console/');
    }
  }
});

const server = app.listen(Number(PORT), '127.0.0.1');
server.requestTimeout = 0; // A large upload over a slow line takes longer than Node's 5 minutes.
await once(server, 'listening');
const { port } = server.address() as { port: number };
const url = `http://127.0.0.1:${port}`;
console.log(`listening on ${url}`);

const shownSecret = CREDENTIALS === undefined ? secret : '<its secret>';
console.log(welcome({ url, s3Host: S3_HOST, accessKey, secret: shownSecret }));

// Running requests may end. Then the storage is closed, and the process ends by itself.
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, async () => {
    await closeServer(server);
    await storage.close();
  });
}
