import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { closeServer } from '@bucketware/example-shared';
import { type KoaStorageOptions, storageMiddleware } from '@bucketware/koa';
import { s3 } from '@bucketware/s3';
import { openStorage, type Principal } from '@bucketware/storage';
import Koa from 'koa';

/*
 * One of several app servers on one storage, with records in PostgreSQL and blobs in an
 * S3-compatible store. It keeps nothing on its own disk, so any number of app servers can run on
 * any number of machines.
 */
const { PORT = '3000', ADDRESS = '127.0.0.1', METADATA, BLOBS, CREDENTIALS } = process.env;
if (METADATA === undefined || BLOBS === undefined) {
  throw new Error('METADATA is postgres://..., and BLOBS is s3://bucket?endpoint=http://...');
}

const users: Readonly<Record<string, Principal>> = {
  alice: { tenantCode: 'acme', tenantId: '1001', userId: 'u-alice', userName: 'Alice' },
  bob: { tenantCode: 'globex', tenantId: '2002', userId: 'u-bob', userName: 'Bob' },
};

const storage = await openStorage({
  metadata: METADATA,
  blobs: BLOBS,
  uniqueUserIds: true,
});
storage.maintenance.start({ every: 60 * 60 * 1000 });

const app = new Koa();

app.use(async (ctx, next) => {
  if (ctx.path === '/health') {
    const { ok, records, blobs } = await storage.health({ timeout: 3000 });
    ctx.status = ok ? 200 : 503;
    ctx.body = { ok, records: records.ok, blobs: blobs.ok };
    return;
  }
  const token = /^Bearer (\S+)$/.exec(ctx.get('authorization'))?.[1];
  ctx.state.principal = token && Object.hasOwn(users, token) ? users[token] : undefined;
  if (token !== undefined && ctx.state.principal === undefined) ctx.throw(401, 'unknown token');
  await next();
});

const options: KoaStorageOptions = {
  principal: (ctx) => ctx.state.principal,
  onError: (error, { requestId, operation }) => console.error(requestId, operation, error),
};
app.use(storageMiddleware(storage, { ...options, mount: '/storage' }));
if (CREDENTIALS !== undefined) {
  const credentials = JSON.parse(await readFile(CREDENTIALS, 'utf8'));
  app.use(storageMiddleware(storage, { ...options, mount: '/s3', dialect: s3({ credentials }) }));
}

const server = app.listen(Number(PORT), ADDRESS);
server.requestTimeout = 0; // A large upload over a slow line takes longer than Node's 5 minutes.
server.keepAliveTimeout = 75_000; // Longer than nginx keeps its connections: 60 seconds.
await once(server, 'listening');
console.log(`listening on http://127.0.0.1:${(server.address() as { port: number }).port}`);

const stop = async (): Promise<void> => {
  await closeServer(server);
  await storage.close();
};
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop());
