// The storage, mounted in a framework. Usage: `node storage.js <koa|express> <directory>`
import { storageMiddleware as expressStorage } from '@bucketware/express';
import { storageMiddleware as koaStorage } from '@bucketware/koa';
import { openStorage } from '@bucketware/storage';
import express from 'express';
import Koa from 'koa';
import { BUCKET, OWNER } from '../servers/fixed.js';
import { answerCommands } from './commands.js';
import { listen } from './listen.js';

const [framework, directory = ''] = process.argv.slice(2);
const storage = await openStorage({ directory, durability: 'full' });
const { buckets } = await storage.as(OWNER).listBuckets();
if (buckets.length === 0) await storage.as(OWNER).putBucket({ bucket: BUCKET });
answerCommands(storage);

const options = { mount: '/storage', principal: () => OWNER };
if (framework === 'koa') {
  const app = new Koa();
  app.use(koaStorage(storage, options));
  listen(app.callback());
} else {
  const app = express();
  app.disable('x-powered-by');
  app.use(expressStorage(storage, options));
  listen(app);
}
