import cluster from 'node:cluster';
import { closeServer } from '@bucketware/example-shared';
import { storageMiddleware } from '@bucketware/koa';
import { openStorage, type Principal } from '@bucketware/storage';
import Koa from 'koa';

const { PORT = '3000', DATA_DIR = 'data', METADATA = 'lmdb', DURABILITY } = process.env;

// The app's own users. A real app asks its session or its token service.
const users: Readonly<Record<string, Principal>> = {
  alice: { tenantCode: 'acme', tenantId: '1001', userId: 'u-alice', userName: 'Alice' },
  bob: { tenantCode: 'globex', tenantId: '2002', userId: 'u-bob', userName: 'Bob' },
};

/** One of the processes. All open the same storage, and share a port. */
export async function serve(): Promise<void> {
  const storage = await openStorage({
    directory: DATA_DIR,
    metadata: METADATA,
    durability: DURABILITY === 'relaxed' ? 'relaxed' : 'full',
    uniqueUserIds: true, // No two users of this app have the same userId, whatever their tenant.
  });
  // Each process asks for this work; the one that holds the lease does it.
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

  // Requests that run may end; then the storage is closed and the process has nothing left to do.
  process.on('SIGINT', () => {}); // A terminal sends it to all: the first process decides.
  process.once('SIGTERM', async () => {
    await closeServer(server);
    await storage.close();
    cluster.worker?.disconnect();
  });
}
