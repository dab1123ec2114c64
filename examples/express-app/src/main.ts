import { once } from 'node:events';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { storageConsole } from '@bucketware/console/express';
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
import { type ExpressStorageOptions, storageMiddleware } from '@bucketware/express';
import { s3 } from '@bucketware/s3';
import { openStorage, type Principal } from '@bucketware/storage';
import express from 'express';

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
const app = express();
app.disable('x-powered-by');

// The app's own login comes before everything else, including the storage.
app.use((req, res, next) => {
  const token = /^Bearer (\S+)$/.exec(req.get('authorization') ?? '')?.[1];
  const user = userNamed(token);
  if (token !== undefined && user === undefined) {
    res.status(401).send('unknown token');
    return;
  }
  res.locals.principal = user ?? userOfCookie(req.get('cookie'));
  next();
});

// The storage, and how it identifies the caller. Body parsers go after it: it reads bodies itself.
const options: ExpressStorageOptions = {
  principal: (req) => req.res?.locals.principal,
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
  '/console',
  storageConsole(storage, {
    principal,
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

// A page that uploads files with the client. Browsers load the client without a bundler.
app.use(
  '/client',
  express.static(dirname(fileURLToPath(import.meta.resolve('@bucketware/client')))),
);
app.get('/upload', async (_req, res) => {
  const user: Principal | undefined = res.locals.principal;
  if (user === undefined) res.redirect('/login');
  else res.type('html').send(uploadPage(await uploadBucket(storage, user)));
});

// The app's own routes.
app.get('/login', (_req, res) => void res.type('html').send(loginPage(Object.keys(users))));
app.post('/login', express.urlencoded({ extended: false }), (req, res) => {
  const form = req.body as { readonly user?: string } | undefined;
  const user = userNamed(form?.user);
  if (user === undefined) return void res.redirect('/login');
  res.setHeader('set-cookie', logIn(user));
  res.redirect('/console/');
});
app.get('/', (_req, res) => {
  res.json({ app: 'express-app', user: res.locals.principal?.userName ?? null });
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
