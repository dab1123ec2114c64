import { S3Client, type S3ClientConfig, S3ServiceException } from '@aws-sdk/client-s3';
import type { HandlerOptions, ObjectStorage } from '@bucketware/core';
import { s3 } from '@bucketware/s3';
import test from 'ava';
import { alice, bob, type Carry, listen, memoryStorage } from '../http/servers.js';

export const KEYS = {
  alice: { accessKeyId: 'AKALICE', secretAccessKey: 'the secret of alice' },
  bob: { accessKeyId: 'AKBOB', secretAccessKey: 'the secret of bob' },
} as const;

/** The users of these tests, by access key. */
export const credentials = {
  AKALICE: { secret: KEYS.alice.secretAccessKey, principal: alice },
  AKBOB: { secret: KEYS.bob.secretAccessKey, principal: bob },
};

export interface RunningS3 {
  readonly storage: ObjectStorage;
  readonly origin: string;
  /** The URL, including the mount. */
  readonly url: string;
  /** The errors that `onError` received. */
  readonly failures: readonly unknown[];
  client(user?: keyof typeof KEYS, config?: S3ClientConfig): S3Client;
  close(): Promise<void>;
}

/** A storage in memory that serves S3 below `/s3`. */
export async function startS3(carry: Carry, options: HandlerOptions = {}): Promise<RunningS3> {
  const failures: unknown[] = [];
  const onError = (error: unknown) => failures.push(error);
  const storage = await memoryStorage({ onError });
  const dialect = s3({ credentials });
  const server = await listen(carry(storage, { mount: '/s3', dialect, onError, ...options }));
  const clients: S3Client[] = [];
  const url = `${server.origin}${options.mount === '/' ? '' : '/s3'}`;
  return {
    ...{ storage, failures, url, origin: server.origin },
    client(user = 'alice', config = {}) {
      const client = new S3Client({
        ...{ endpoint: url, region: 'us-east-1', forcePathStyle: true, maxAttempts: 1 },
        credentials: KEYS[user],
        ...config,
      });
      clients.push(client);
      return client;
    },
    async close() {
      for (const client of clients) client.destroy();
      await server.close();
      await storage.close();
    },
  };
}

/** The server of all tests of a file. None of them may cause an internal failure. */
export async function serverOfTests(...given: Parameters<typeof startS3>): Promise<RunningS3> {
  const server = await startS3(...given);
  test.after.always(() => server.close());
  test.after('no request caused an internal failure', (t) => t.deepEqual(server.failures, []));
  return server;
}

/** The code and status of an error response, or `done`. */
export async function outcomeOf(request: Promise<unknown>): Promise<string> {
  try {
    await request;
    return 'done';
  } catch (error) {
    if (!(error instanceof S3ServiceException)) throw error;
    return `${error.$metadata.httpStatusCode} ${error.name}`;
  }
}
