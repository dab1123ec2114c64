import { storageMiddleware } from '@bucketware/koa';
import test from 'ava';
import Koa from 'koa';
import { onDisk } from './open-files.js';
import { call } from './raw.js';
import { alice, listen } from './servers.js';

test('a failure of middleware around the storage gets a response, whatever its code', async (t) => {
  const { storage, closed } = await onDisk(t);
  const errors: string[] = [];
  let code = '';
  const app = new Koa();
  app.on('error', (error) => errors.push(error.code));
  app.use(async (_, next) => {
    await next();
    throw Object.assign(new Error('the session store is away'), { code });
  });
  app.use(storageMiddleware(storage, { mount: '/storage', principal: () => alice, authorize }));
  app.use((ctx) => {
    ctx.body = 'the app';
  });
  const { origin, close } = await listen(app.callback());
  t.teardown(close);
  const codes = ['ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNREFUSED'];
  for (code of codes) {
    t.is((await call(origin, 'GET', '/elsewhere')).status, 500);
    t.is((await call(origin, 'GET', '/storage/bucket/large')).status, 500, code);
    const put = await call(origin, 'PUT', '/storage/bucket/new', { body: 'x' });
    t.is(put.status, 500, code);
    t.deepEqual(errors.splice(0), [code, code, code]);
  }
  t.true(await closed(), 'no file stays open');
});

const authorize = () => true;
