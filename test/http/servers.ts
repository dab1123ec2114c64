import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
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
import { storageMiddleware as koaStorage } from '@bucketware/koa';
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

export const users = new Map([
  ['Bearer alice', alice],
  ['Bearer bob', bob],
]);

/** The authentication of every app in these tests. */
export const principalOf = (req: IncomingMessage): Principal | undefined =>
  users.get(req.headers.authorization ?? '');

export type Settings = Omit<ObjectStorageOptions, 'blobs' | 'metadata'>;

/** Alice and Bob have different tenants, and grants name only their user ids. */
export const OF_TESTS = { uniqueUserIds: true };

export const memoryStorage = (settings: Settings = {}): Promise<ObjectStorage> =>
  createObjectStorage({
    blobs: memoryBlobs(),
    metadata: memoryMetadata(),
    ...OF_TESTS,
    ...settings,
  });

export type Carry = (storage: ObjectStorage, options: HandlerOptions) => RequestListener;

/** Koa as a request listener with the storage. */
export const onKoa: Carry = (storage, options) => {
  const app = new Koa();
  app.silent = true; // Koa prints the errors that `onError` gets anyway.
  app.use(koaStorage(storage, { ...options, principal: (ctx) => principalOf(ctx.req) }));
  return app.callback();
};

/** The storage without a framework. */
export const onNode: Carry = (storage, options) => {
  const handle = storage.handler(options);
  return async (req, res) => {
    const principal = () => principalOf(req);
    const context = { url: req.url ?? '/', mount: '', principal };
    if (!(await serve(handle, req, res, context))) res.writeHead(404).end('not ours');
  };
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
