// The program of a server: `node server.js <kind> <directory>`. It tells its parent the port.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { storageMiddleware as expressStorage } from '@bucketware/express';
import { storageMiddleware as koaStorage } from '@bucketware/koa';
import { openStorage } from '@bucketware/storage';
import express from 'express';
import Koa from 'koa';
import { bareFiles } from './bare.js';
import { BUCKET, CONSTANT, CONSTANT_HEADERS, OWNER } from './fixed.js';

const listeners = {
  /** The storage on both frameworks, as a host mounts it. */
  async koa(directory: string): Promise<RequestListener> {
    const app = new Koa();
    app.use(koaStorage(await open(directory), { mount: '/storage', principal: () => OWNER }));
    return app.callback();
  },
  async express(directory: string): Promise<RequestListener> {
    const app = newExpress();
    app.use('/storage', expressStorage(await open(directory), { principal: () => OWNER }));
    return app;
  },

  /** The least that the frameworks themselves cost: a handler that answers with fixed bytes. */
  async 'constant-koa'(): Promise<RequestListener> {
    const app = new Koa();
    app.use((ctx) => {
      ctx.body = CONSTANT;
      ctx.set(CONSTANT_HEADERS);
    });
    return app.callback();
  },
  async 'constant-express'(): Promise<RequestListener> {
    const app = newExpress();
    app.use((_req, res) => {
      res.set(CONSTANT_HEADERS).send(CONSTANT);
    });
    return app;
  },

  /** Files without a framework or a storage. */
  bare: bareFiles,
};

export type Kind = keyof typeof listeners;

function newExpress() {
  const app = express();
  app.disable('x-powered-by');
  return app;
}

async function open(directory: string) {
  const storage = await openStorage({ directory, durability: 'full' });
  const { buckets } = await storage.as(OWNER).listBuckets();
  if (buckets.length === 0) await storage.as(OWNER).putBucket({ bucket: BUCKET });
  return storage;
}

const [kind, directory] = process.argv.slice(2) as [Kind, string];
const server = createServer(await listeners[kind](directory));
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());
