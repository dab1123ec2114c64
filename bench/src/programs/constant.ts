// The minimum cost of a framework: a handler that responds with constant bytes.
// Usage: `node constant.js <koa|express>`
import express from 'express';
import Koa from 'koa';
import { CONSTANT, CONSTANT_HEADERS } from '../servers/fixed.js';
import { listen } from './listen.js';

if (process.argv[2] === 'koa') {
  const app = new Koa();
  app.use((ctx) => {
    ctx.body = CONSTANT;
    ctx.set(CONSTANT_HEADERS);
  });
  listen(app.callback());
} else {
  const app = express();
  app.disable('x-powered-by');
  app.use((_req, res) => {
    res.set(CONSTANT_HEADERS).send(CONSTANT);
  });
  listen(app);
}
