import { BosClient, type Failure } from '@baiducloud/sdk';
import type { ObjectStorage } from '@bucketware/core';
import { storageMiddleware } from '@bucketware/express';
import express from 'express';
import { alice, bob, listen, memoryStorage } from '../http/servers.js';

const SECRETS = { alice: 'the secret of alice', bob: 'the secret of bob' };
export const TOKEN = 'tok/en+==';

const credentials = {
  AKALICE: { secret: SECRETS.alice, principal: alice },
  AKBOB: { secret: SECRETS.bob, principal: bob },
  AKTEMPORARY: { secret: 'for a day', sessionToken: TOKEN, principal: alice },
};

type Settings = Partial<ConstructorParameters<typeof BosClient>[0]>;

export interface RunningService {
  readonly storage: ObjectStorage;
  /** The URL, including the mount. */
  readonly endpoint: string;
  /** The errors that `onError` received. */
  readonly failures: readonly unknown[];
  client(user?: keyof typeof SECRETS, settings?: Settings): BosClient;
  close(): Promise<void>;
}

type Mount = Partial<Parameters<typeof storageMiddleware>[1]> & { readonly at: string };

/** Serves a storage in memory with the header prefix of the SDK. */
export async function startService({ at, ...options }: Mount): Promise<RunningService> {
  const failures: unknown[] = [];
  const onError = (error: unknown) => failures.push(error);
  const storage = await memoryStorage({ onError });
  const app = express();
  const principal = () => undefined;
  const headerPrefix = 'x-bce-';
  app.use(at, storageMiddleware(storage, { credentials, headerPrefix, principal, ...options }));
  const server = await listen(app);
  const endpoint = `${server.origin}${at === '/' ? '' : at}`;
  return {
    ...{ storage, endpoint, failures },
    client: (user = 'alice', settings = {}) =>
      new BosClient({
        endpoint,
        credentials: { ak: `AK${user.toUpperCase()}`, sk: SECRETS[user] },
        ...settings,
      }),
    async close() {
      await server.close();
      await storage.close();
    },
  };
}

/** The status and code of the SDK's error, or `done`. */
export async function outcomeOf(request: Promise<unknown>): Promise<string> {
  try {
    await request;
    return 'done';
  } catch (error) {
    const { status_code: status, code = '' } = error as Failure;
    if (status === undefined) throw error;
    return `${status} ${code}`.trim();
  }
}
