import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createObjectStorage,
  type HandlerOptions,
  memoryBlobs,
  memoryMetadata,
  type ObjectStorage,
  type ObjectStorageOptions,
  type Principal,
} from '@bucketware/core';
import { serve } from '@bucketware/core/node';
import { storageMiddleware as expressStorage } from '@bucketware/express';
import { storagePlugin } from '@bucketware/fastify';
import { storageMiddleware as koaStorage } from '@bucketware/koa';
import { openStorage } from '@bucketware/storage';
import { toWebHandler } from '@bucketware/web';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import express from 'express';
import express4 from 'express4';
import Fastify from 'fastify';
import { type Context, Hono } from 'hono';
import Koa from 'koa';

export const alice: Principal = {
  tenantCode: 'acme',
  tenantId: '1001',
  userId: 'u-alice',
  userName: 'Alice',
};
export const bob: Principal = {
  tenantCode: 'globex',
  tenantId: '2002',
  userId: 'u-bob',
  userName: 'Bob',
};

const users = new Map([
  ['Bearer alice', alice],
  ['Bearer bob', bob],
]);

/** The authentication of every app in these tests. */
export const principalOf = (req: IncomingMessage): Principal | undefined =>
  users.get(req.headers.authorization ?? '');

type Settings = Omit<ObjectStorageOptions, 'blobs' | 'metadata'>;

/** Alice and Bob have different tenants, and grants name only their user ids. */
const OF_TESTS = { uniqueUserIds: true };

export const memoryStorage = (settings: Settings = {}): Promise<ObjectStorage> =>
  createObjectStorage({
    blobs: memoryBlobs(),
    metadata: memoryMetadata(),
    ...OF_TESTS,
    ...settings,
  });

/** A storage on disk, in a new directory that is removed when it is closed. */
export async function diskStorage(settings: Settings = {}): Promise<ObjectStorage> {
  const directory = await mkdtemp(join(tmpdir(), 'bucketware-'));
  const storage = await openStorage({ directory, ...OF_TESTS, ...settings });
  const close = async () => {
    await storage.close();
    await rm(directory, { recursive: true, force: true });
  };
  return { ...storage, close };
}

export type Carry = (storage: ObjectStorage, options: HandlerOptions) => RequestListener;

type Carrier = 'koa' | 'express5' | 'express4' | 'node' | 'fastify' | 'hono';

/** The bindings of Hono for a request on Node. */
export type HonoContext = Context<{ Bindings: HttpBindings }>;

/** The frameworks as request listeners with the storage. */
export const carriers: Readonly<Record<Carrier, Carry>> = {
  koa: (storage, options) => {
    const app = new Koa();
    app.silent = true; // Koa prints the errors that `onError` gets anyway.
    app.use(koaStorage(storage, { ...options, principal: (ctx) => principalOf(ctx.req) }));
    return app.callback();
  },
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
  node: (storage, options) => {
    const handle = storage.handler(options);
    return async (req, res) => {
      const principal = () => principalOf(req);
      const context = { url: req.url ?? '/', mount: '', principal };
      if (!(await serve(handle, req, res, context))) res.writeHead(404).end('not ours');
    };
  },
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
      raw: (_, c) => c.env.incoming,
    });
    const app = new Hono<{ Bindings: HttpBindings }>();
    app.use((c, next) => handle(c.req.raw, c, next));
    return getRequestListener(app.fetch);
  },
};

export interface RunningServer {
  readonly server: Server;
  /** Such as `http://127.0.0.1:12345`. */
  readonly origin: string;
  close(): Promise<void>;
}

export async function listen(listener: RequestListener): Promise<RunningServer> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { server, origin: `http://127.0.0.1:${port}`, close };
}
