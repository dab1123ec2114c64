import { setMaxListeners } from 'node:events';
import { createClient } from '@bucketware/client/node';
import { type ObjectStorage, openStorage, type StorageConfig } from '@bucketware/storage';
import { toWebHandler } from '@bucketware/web';
import { inWords } from '../failures.js';
import { printable } from '../text.js';
import type { Store } from './store.js';
import { uploads } from './uploads.js';

/** Whoever can open the files of a storage may do everything. */
const OPERATOR = { tenantCode: 'cli', tenantId: 'cli', userId: 'cli', userName: 'cli' };

/** Never looked up: requests stay in this process. */
const ENDPOINT = 'http://storage.invalid';

/** Opens a storage in this process, and speaks with it as with a server. */
export async function openHere(config: StorageConfig): Promise<Store> {
  const onError = (error: unknown) =>
    void process.stderr.write(`Warning: ${printable(inWords(error))}\n`);
  const local = await openStorage({ sweepEvery: false, onError, ...config });
  // Few repetitions: what fails here fails for a reason that stays.
  const client = createClient({
    ...{ endpoint: ENDPOINT, fetch: within(local) },
    ...{ retry: { times: 2 }, uploadRegister: uploads() },
  });
  return {
    client,
    local,
    async *buckets() {
      for await (const { name, creationDate, owner } of local.allBuckets()) {
        yield { name, creationDate, owner: `${owner.tenantCode}:${owner.userId}` };
      }
    },
    createBucket: (bucket) => local.putBucket({ bucket }),
    close: () => local.close(),
  };
}

/** A `fetch` whose requests a storage answers. */
function within(storage: ObjectStorage): typeof globalThis.fetch {
  // Its failures are in the responses.
  const onError = () => {};
  const options = { principal: () => OPERATOR, authorize: () => true, stallTimeout: 0, onError };
  const handle = toWebHandler(storage, options);
  return async (input, init = {}) => {
    const { body, method, signal } = init;
    // An upload of many parts has one signal for all its requests, of which Node would warn.
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
