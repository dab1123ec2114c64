import { randomBytes } from 'node:crypto';
import { isPostgres } from './atomic-adapters.js';
import type { GuardedKeyv } from './guarded-keyv.js';
import type { FullKeyv } from './keyv-like.js';
import { isForbidden, type RedisServer, redisServerOf } from './redis-server.js';

/** Throws a `TypeError` if the configuration of a Keyv could lose or mix up records. */
export function checkSettings({ keyv, adapter }: GuardedKeyv, allowMemory: boolean): void {
  if (wasGivenUrl(keyv)) {
    throw new TypeError(
      'This Keyv was given a URL and no adapter, so it silently keeps everything in memory. ' +
        "Pass an adapter: new Keyv({ store: new KeyvRedis('redis://...') }).",
    );
  }
  if (adapter instanceof Map && !allowMemory) {
    throw new TypeError(
      'This Keyv keeps everything in memory, as it also does when it is given a URL instead of ' +
        'an adapter. Pass an adapter such as new KeyvRedis(url), or allowMemory: true.',
    );
  }
  if (keyv.ttl) {
    throw new TypeError('This Keyv has a ttl, which would make records vanish: remove it.');
  }
  if (keyv.sanitize?.enabled) {
    throw new TypeError(
      'This Keyv has sanitize on, which could turn two keys into one: turn it off.',
    );
  }
  if (isPostgres(adapter) && adapter.opts.useUnloggedTable) {
    throw new TypeError(
      'This PostgreSQL adapter uses an unlogged table, which a crash of the server empties: ' +
        'remove useUnloggedTable, and run ALTER TABLE … SET LOGGED if the table already exists.',
    );
  }
}

/** Keyv 5 spreads a string that it takes for options. */
function wasGivenUrl({ opts }: FullKeyv): boolean {
  return opts !== undefined && opts.store instanceof Map && ('0' in opts || 'uri' in opts);
}

/**
 * Throws a `TypeError` for a Redis or Valkey that may evict keys, because it would remove pages of a
 * tree, and for a client that reads from replicas, which may be behind. With `relaxed`, a server that
 * refuses INFO is trusted.
 */
export async function checkRedis(keyv: GuardedKeyv, durability: 'full' | 'relaxed'): Promise<void> {
  const server = redisServerOf(keyv.adapter);
  if (!server) return;
  const settingOf = async (section: string, name: string): Promise<string> => {
    const info = await readInfo(keyv, server, section, durability);
    return new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1] ?? '';
  };
  const policy = await settingOf('memory', 'maxmemory_policy');
  if (policy.startsWith('allkeys')) {
    throw new TypeError(
      `This server may evict any key, including records (maxmemory-policy ${policy}): ` +
        'set maxmemory-policy noeviction.',
    );
  }
  if ((await settingOf('replication', 'role')) !== 'slave') return;
  throw new TypeError(
    'This client reads from a replica, which may not have the latest commits: leave out ' +
      'replicaPoolSize or the role of the client, or connect to the primary server.',
  );
}

function readInfo(
  keyv: GuardedKeyv,
  server: RedisServer,
  section: string,
  durability: 'full' | 'relaxed',
): Promise<string> {
  const reading = keyv.run('read the settings of the server', () => server.info(section));
  return reading.then(String, (cause: unknown) => {
    if (!isForbidden(cause)) throw cause;
    if (durability === 'relaxed') return '';
    throw new Error(
      'This server does not reveal whether it may evict keys: ' +
        "allow INFO, or open the store with durability: 'relaxed'.",
      { cause },
    );
  });
}

/**
 * Writes, reads and deletes a full-size page, because a column that is too small would truncate
 * pages later.
 */
export async function checkRoom(keyv: GuardedKeyv, key: string, size: number): Promise<void> {
  const text = randomBytes(size).toString('base64').slice(0, size);
  await keyv.set(key, text);
  // A truncated text may also be unreadable.
  const found = await keyv.get(key).catch((cause: unknown) => ({ cause }));
  if (found !== text) {
    throw new Error(
      `This Keyv does not store a value of ${size} characters unchanged. ` +
        'Choose a smaller pageSize, or a larger value column. If another process is opening the ' +
        'same store, try again later.',
      found as { cause: unknown } | undefined,
    );
  }
  await keyv.delete(key);
  if ((await keyv.get(key)) === undefined) return;
  throw new Error(
    'This Keyv does not delete: a value was still there after it was deleted. ' +
      'If another process is opening the same store, try again later.',
  );
}
