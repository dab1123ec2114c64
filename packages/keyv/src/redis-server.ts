/** A single server of Redis or Valkey, whatever the client of its adapter. */
export interface RedisServer {
  /** The name in the database of a key of the adapter. */
  keyOf(key: string): string;
  /** These methods take the names of the database. */
  getMany(keys: readonly string[]): Promise<readonly unknown[]>;
  eval(script: string, keys: readonly string[], values: readonly string[]): Promise<unknown>;
  info(section: string): Promise<unknown>;
  settings(pattern: string): Promise<Readonly<Record<string, string>>>;
}

/**
 * The server of an adapter, or `undefined` if it does not connect to a single one. A cluster
 * distributes the pages over several servers, and no script can reach them all at once.
 */
export function redisServerOf(adapter: object): RedisServer | undefined {
  if (isRedis(adapter)) return ofRedis(adapter);
  if (isValkey(adapter)) return ofValkey(adapter);
  return undefined;
}

/** Whether the server refused a command: the user has no permission, or it was renamed. */
export function isForbidden(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (/^(NOPERM|ERR unknown command|ERR ACL failure in script)/.test(at.message)) return true;
  }
  return false;
}

const READ_ON_PRIMARY = "return redis.call('MGET', unpack(KEYS))";

/** `@keyv/redis`, which uses node-redis. */
interface RedisAdapter {
  readonly namespace?: string | undefined;
  readonly keyPrefixSeparator?: string;
  readonly namespaceSeparator?: string;
  getClient(): Promise<RedisClient>;
  isCluster?(): boolean;
  isSentinel?(): boolean;
}

interface RedisClient {
  mGet(keys: readonly string[]): Promise<unknown[]>;
  eval(
    script: string,
    options: { keys: readonly string[]; arguments: readonly string[] },
  ): Promise<unknown>;
  info(section: string): Promise<unknown>;
  configGet(pattern: string): Promise<Readonly<Record<string, string>>>;
}

function isRedis(adapter: object): adapter is RedisAdapter {
  const redis = adapter as Partial<RedisAdapter>;
  return typeof redis.getClient === 'function' && 'client' in redis && !redis.isCluster?.();
}

function ofRedis(adapter: RedisAdapter): RedisServer {
  const { keyPrefixSeparator, namespaceSeparator } = adapter;
  const separator = keyPrefixSeparator ?? namespaceSeparator ?? '::';
  return {
    keyOf: (key) => (adapter.namespace ? adapter.namespace + separator + key : key),
    async getMany(keys) {
      const client = await adapter.getClient();
      if (!adapter.isSentinel?.()) return client.mGet(keys);
      // With replicaPoolSize, node-redis sends MGET to a replica, which may be behind.
      return (await client.eval(READ_ON_PRIMARY, { keys, arguments: [] })) as unknown[];
    },
    eval: async (script, keys, values) =>
      (await adapter.getClient()).eval(script, { keys, arguments: values }),
    info: async (section) => (await adapter.getClient()).info(section),
    settings: async (pattern) => (await adapter.getClient()).configGet(pattern),
  };
}

/**
 * `@keyv/valkey`, which uses iovalkey. By default, the adapter also keeps a set of all keys that it
 * wrote, which only its `clear` reads. Scripts leave the set as it is: a page that is still in it
 * after its removal does no harm, because no page id is used again.
 */
interface ValkeyAdapter {
  readonly redis: ValkeyClient;
  _getKeyName(key: string): string;
}

interface ValkeyClient {
  readonly isCluster?: boolean;
  mget(keys: readonly string[]): Promise<unknown[]>;
  /** The client joins the arrays. As separate arguments, they could exceed the stack. */
  eval(
    script: string,
    count: number,
    keys: readonly string[],
    values: readonly string[],
  ): Promise<unknown>;
  info(section: string): Promise<unknown>;
  config(command: 'GET', pattern: string): Promise<readonly string[]>;
}

function isValkey(adapter: object): adapter is ValkeyAdapter {
  const { redis, _getKeyName } = adapter as Partial<ValkeyAdapter>;
  return typeof _getKeyName === 'function' && typeof redis?.eval === 'function' && !redis.isCluster;
}

function ofValkey(adapter: ValkeyAdapter): RedisServer {
  const { redis } = adapter;
  return {
    keyOf: (key) => adapter._getKeyName(key),
    getMany: (keys) => redis.mget(keys),
    eval: (script, keys, values) => redis.eval(script, keys.length, keys, values),
    info: (section) => redis.info(section),
    async settings(pattern) {
      const found = await redis.config('GET', pattern);
      const names = found.filter((_, index) => index % 2 === 0);
      return Object.fromEntries(names.map((name, at) => [name, found[2 * at + 1] ?? '']));
    },
  };
}
