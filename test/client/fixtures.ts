import { randomBytes } from 'node:crypto';
import { type ClientOptions, createClient, type NodeStorageClient } from '@bucketware/client/node';
import type { ObjectStorage } from '@bucketware/core';
import { storageMiddleware } from '@bucketware/express';
import type { ExecutionContext } from 'ava';
import express from 'express';
import { alice, listen, memoryStorage, principalOf } from '../http/servers.js';

export const bucket = 'bucket';
export const secret = 'a long secret';
export const MIB = 1024 * 1024;
export const bytesOf = (size: number): Uint8Array<ArrayBuffer> => new Uint8Array(randomBytes(size));

/** A storage for a client. `sent` has a line for each request. */
export interface Setting {
  readonly storage: ObjectStorage;
  readonly endpoint: string;
  readonly sent: string[];
  client(options?: Partial<ClientOptions>): NodeStorageClient;
}

/** Serves Alice's storage with one bucket over HTTP. */
export async function open(
  t: ExecutionContext,
  { storage: given, quick = true }: { storage?: ObjectStorage; quick?: boolean } = {},
): Promise<Setting> {
  const storage = given ?? (await memoryStorage());
  await storage.as(alice).putBucket({ bucket });
  const app = express();
  const sent: string[] = [];
  app.use((req, _res, next) => {
    sent.push(`${req.method} ${req.url.replace(/uploadId=[^&]*/, 'uploadId')}`);
    next();
  });
  const credentials = { AKALICE: { secret, principal: alice } };
  app.use(
    '/storage',
    storageMiddleware(storage, { principal: principalOf, credentials, onError: () => {} }),
  );
  const server = await listen(app);
  // On a busy machine, the process of client and server may pause for longer than Node's 5 s, and the
  // client then sends on connections that the server closes.
  server.server.keepAliveTimeout = 60_000;
  t.teardown(async () => {
    await server.close();
    await storage.close();
  });
  const endpoint = `${server.origin}/storage`;
  const headers = { authorization: 'Bearer alice' };
  const retry = quick ? { firstDelay: 5 } : {};
  return {
    ...{ storage, endpoint, sent },
    client: (options = {}) => createClient({ endpoint, headers, retry, ...options }),
  };
}
