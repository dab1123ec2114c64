import { createClient, fetchOverHttp } from '@bucketware/client/node';
import { UsageError } from '../failures.js';
import type { EndpointConfig } from './config.js';
import type { Store } from './store.js';
import { uploads } from './uploads.js';

/** A storage on a server. Keys come from the config file or the environment. */
export function openEndpoint(config: EndpointConfig, headers: readonly string[] = []): Store {
  const { BUCKETWARE_ACCESS_KEY, BUCKETWARE_SECRET, BUCKETWARE_SESSION_TOKEN } = process.env;
  const { endpoint, headerPrefix } = config;
  const accessKey = config.accessKey ?? BUCKETWARE_ACCESS_KEY;
  const secret = config.secret ?? BUCKETWARE_SECRET;
  if ((accessKey === undefined) !== (secret === undefined)) {
    throw new UsageError(
      'An access key needs its secret, and a secret its key: one of them is missing.',
    );
  }
  const sessionToken = BUCKETWARE_SESSION_TOKEN;
  const client = createClient({
    endpoint,
    fetch: fetchOverHttp,
    headerPrefix,
    headers: { ...config.headers, ...Object.fromEntries(headers.map(headerOf)) },
    signer:
      accessKey !== undefined && secret !== undefined
        ? { accessKey, secret, sessionToken }
        : undefined,
    uploadRegister: uploads(),
  });
  return {
    client,
    local: undefined,
    isOwn: () => false,
    async *buckets(signal) {
      yield* (await client.listBuckets({ signal })).buckets;
    },
    createBucket: (bucket) => client.putBucket({ bucket }),
    close: async () => {},
  };
}

/** `Name: value`. */
function headerOf(text: string): [name: string, value: string] {
  const [, name, value] = /^([^\s:]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new UsageError(`--header takes 'Name: value', not ${text}`);
  }
  return [name.toLowerCase(), value];
}
