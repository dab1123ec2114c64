import cluster from 'node:cluster';
import { closeServer } from '@bucketware/example-shared';
import { storageMiddleware } from '@bucketware/koa';
import { openStorage, type Principal } from '@bucketware/storage';
import Koa from 'koa';

const { PORT = '3000', DATA_DIR = 'data', METADATA = 'lmdb', DURABILITY } = process.env;

// The app's own users. A real app looks them up in its session or token service.
const users: Readonly<Record<string, Principal>> = {
  alice: { tenantCode: 'acme', tenantId: '1001', userId: 'u-alice', userName: 'Alice' },
  bob: { tenantCode: 'globex', tenantId: '2002', userId: 'u-bob', userName: 'Bob' },
};

/** Starts one of the processes. All open the same storage and share a port. */
export async function serve(): Promise<void> {
  const storage = await openStorage({
    directory: DATA_DIR,
    metadata: METADATA,
    durability: DURABILITY === 'relaxed' ? 'relaxed' : 'full',
    uniqueUserIds: true, // No two users of this app have the same userId, whatever their tenant.
  });
  // Every process offers to do this work. The one that holds the lease does it.
  storage.maintenance.start({ every: 60 * 60 * 1000 });

  const app = new Koa();
  app.use(async (ctx, next) => {
    const token = /^Bearer (\S+)$/.exec(ctx.get('authorization'))?.[1];
    ctx.state.principal =
      token !== undefined && Object.hasOwn(users, token) ? users[token] : undefined;
    if (token !== undefined && ctx.state.principal === undefined) ctx.throw(401, 'unknown token');
    await next();
  });
  app.use(
    storageMiddleware(storage, {
      mount: '/storage',
      principal: (ctx) => ctx.state.principal,
      onError: (error, { requestId, operation }) => console.error(requestId, operation, error),
    }),
  );
  app.use((ctx) => {
    if (ctx.path === '/') ctx.body = { app: 'cluster-app', process: process.pid };
  });

  const server = app.listen(Number(PORT), '127.0.0.1');
  server.requestTimeout = 0; // A large upload over a slow line takes longer than Node's 5 minutes.

  // Running requests may end. Then the storage is closed, and the process ends by itself.
  process.on('SIGINT', () => {});
  process.once('SIGTERM', async () => {
    await closeServer(server);
    await storage.close();
    cluster.worker?.disconnect();
  });
}
