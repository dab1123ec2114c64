import { setMaxListeners } from 'node:events';
import { createClient } from '@bucketware/client/node';
import { type ObjectStorage, openStorage, type StorageConfig } from '@bucketware/storage';
import { toWebHandler } from '@bucketware/web';
import { inWords } from '../failures.js';
import { ownFiles } from '../files/own-files.js';
import { printable } from '../text.js';
import type { Store } from './store.js';
import { uploads } from './uploads.js';

/** Whoever can open the files of a storage may do everything. */
const OPERATOR = { tenantCode: 'cli', tenantId: 'cli', userId: 'cli', userName: 'cli' };

/** Never resolved: requests stay in this process. */
const ENDPOINT = 'http://storage.invalid';

/** Opens a storage in this process, and talks to it like to a server. */
export async function openHere(config: StorageConfig): Promise<Store> {
  const onError = (error: unknown) =>
    void process.stderr.write(`Warning: ${printable(inWords(error))}\n`);
  const local = await openStorage({ sweepEvery: false, onError, ...config });
  // Few retries: failures in this process are rarely transient.
  const client = createClient({
    ...{ endpoint: ENDPOINT, fetch: within(local) },
    ...{ retry: { times: 2 }, uploadRegister: uploads() },
  });
  return {
    client,
    local,
    isOwn: ownFiles(config),
    async *buckets() {
      for await (const { name, creationDate, owner } of local.allBuckets()) {
        yield { name, creationDate, owner: `${owner.tenantCode}:${owner.userId}` };
      }
    },
    createBucket: (bucket) => local.putBucket({ bucket }),
    close: () => local.close(),
  };
}

/** A `fetch` whose requests are handled by a storage. */
function within(storage: ObjectStorage): typeof globalThis.fetch {
  // Failures are reported in the responses.
  const onError = () => {};
  const options = { principal: () => OPERATOR, authorize: () => true, stallTimeout: 0, onError };
  const handle = toWebHandler(storage, options);
  return async (input, init = {}) => {
    const { body, method, signal } = init;
    // An upload of many parts uses one signal for all its requests, and Node would print a warning.
    if (signal) setMaxListeners(0, signal);
    const length = body === undefined || body === null ? 0 : sizeOf(body);
    const hasLength = method !== 'GET' && method !== 'HEAD';
    const headers = { ...(init.headers as Record<string, string>) };
    if (hasLength) headers['content-length'] = String(length);
    return handle(new Request(input, { ...init, headers }));
  };
}

const sizeOf = (body: NonNullable<RequestInit['body']>): number =>
  typeof body === 'string' ? Buffer.byteLength(body) : (body as Uint8Array).byteLength;
