/** The server under test: Koa on the file system and LMDB, as in the examples. */
import { once } from 'node:events';
import { storageMiddleware } from '@bucketware/koa';
import { type Durability, openStorage, type Principal } from '@bucketware/storage';
import Koa from 'koa';

const { DATA_DIR = '', DURABILITY = 'full' } = process.env;
const alice: Principal = { tenantCode: 'a', tenantId: '1', userId: 'alice', userName: 'Alice' };

const open = () =>
  openStorage({
    directory: DATA_DIR,
    durability: DURABILITY as Durability,
    readGrace: 200,
    sweepEvery: 500,
    onError: () => {},
  });
const app = new Koa();
app.silent = true;
/** Errors that no client sees are reported to the parent process. */
const onError = (error: unknown): void => {
  const causes: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) causes.push(at.message);
  console.error(causes.join(' <- '));
};
let storage = await open();
const carry = () =>
  storageMiddleware(storage, { mount: '/storage', principal: () => alice, onError });
let middleware = carry();
app.use((ctx, next) => middleware(ctx, next));
app.use(async (ctx) => {
  if (ctx.path !== '/reopen') return;
  await storage.close();
  storage = await open();
  middleware = carry();
  ctx.status = 200;
});
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
console.log(`listening on http://127.0.0.1:${(server.address() as { port: number }).port}`);
