import type { IncomingMessage } from 'node:http';
import { storageMiddleware as expressStorage } from '@bucketware/express';
import { storagePlugin } from '@bucketware/fastify';
import { toWebHandler } from '@bucketware/web';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import express from 'express';
import express4 from 'express4';
import Fastify from 'fastify';
import { type Context, Hono } from 'hono';
import { type Carry, onKoa, onNode, principalOf, users } from './servers.js';

type Carrier = 'koa' | 'express5' | 'express4' | 'node' | 'fastify' | 'hono';

/** The bindings of Hono for a request on Node. */
export type HonoContext = Context<{ Bindings: HttpBindings }>;

/** The frameworks as request listeners with the storage. */
export const carriers: Readonly<Record<Carrier, Carry>> = {
  koa: onKoa,
  express5: (storage, options) => {
    const app = express();
    app.use(expressStorage(storage, { ...options, principal: principalOf }));
    return app;
  },
  express4: (storage, options) => {
    const app = express4();
    app.use(expressStorage(storage, { ...options, principal: principalOf }));
    return app;
  },
  node: onNode,
  fastify: (storage, options) => {
    const app = Fastify();
    const principal = ({ raw }: { raw: IncomingMessage }) => principalOf(raw);
    app.register(storagePlugin(storage, { ...options, principal }));
    return async (req, res) => {
      await app.ready();
      app.routing(req, res);
    };
  },
  hono: (storage, options) => {
    const handle = toWebHandler<HonoContext>(storage, {
      ...options,
      principal: (request) => users.get(request.headers.get('authorization') ?? ''),
      raw: (_, c) => c.env,
    });
    const app = new Hono<{ Bindings: HttpBindings }>();
    app.use((c, next) => handle(c.req.raw, c, next));
    return getRequestListener(app.fetch);
  },
};
