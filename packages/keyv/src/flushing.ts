import { isPostgres, isRedis, type PostgresAdapter, type RedisAdapter } from './atomic-adapters.js';
import type { GuardedKeyv } from './guarded-keyv.js';

const OR_RELAXED = "or open the store with durability: 'relaxed'.";

/** Throws for a PostgreSQL or Redis that may acknowledge a commit before it is on the disk. */
export async function checkFlushing(keyv: GuardedKeyv): Promise<void> {
  const { adapter } = keyv;
  if (isPostgres(adapter)) await checkPostgres(keyv, adapter);
  if (isRedis(adapter)) await checkRedis(keyv, adapter);
}

async function checkPostgres(keyv: GuardedKeyv, adapter: PostgresAdapter): Promise<void> {
  const sql = `SELECT name FROM pg_settings
    WHERE name IN ('fsync', 'synchronous_commit') AND setting = 'off'`;
  const [row] = await keyv.run('read the settings of PostgreSQL', () => adapter.query(sql, []));
  if (!row) return;
  throw new TypeError(
    `This PostgreSQL acknowledges commits before they are on the disk (${String(row.name)} is off): ` +
      `turn it on, ${OR_RELAXED}`,
  );
}

/**
 * With any other value of these settings, Redis acknowledges some commits before they are on the
 * disk.
 */
const REDIS_SETTINGS: Readonly<Record<string, string>> = {
  appendonly: 'yes',
  appendfsync: 'always',
  'no-appendfsync-on-rewrite': 'no',
};

async function checkRedis(keyv: GuardedKeyv, adapter: RedisAdapter): Promise<void> {
  const found = await redisSettings(keyv, adapter);
  for (const [name, wanted] of Object.entries(REDIS_SETTINGS)) {
    if (found[name] === wanted) continue;
    throw new TypeError(
      `This Redis acknowledges commits before they are on the disk (${name} is ${found[name]}): ` +
        `set ${name} ${wanted}, ${OR_RELAXED}`,
    );
  }
}

async function redisSettings(
  keyv: GuardedKeyv,
  adapter: RedisAdapter,
): Promise<Readonly<Record<string, string>>> {
  try {
    return await keyv.run('read the settings of Redis', async () =>
      (await adapter.getClient()).configGet('*append*'),
    );
  } catch (cause) {
    throw new Error(
      'This Redis does not reveal whether it acknowledges commits only when they are on the disk: ' +
        `allow CONFIG GET, ${OR_RELAXED}`,
      { cause },
    );
  }
}
