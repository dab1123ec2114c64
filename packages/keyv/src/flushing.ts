import { isPostgres, type PostgresAdapter, tableOf } from './atomic-adapters.js';
import type { GuardedKeyv } from './guarded-keyv.js';
import { type RedisServer, redisServerOf } from './redis-server.js';

const OR_RELAXED = "or open the store with durability: 'relaxed'.";

/** Throws for a table that a crash of PostgreSQL empties. */
export async function checkLogged(keyv: GuardedKeyv): Promise<void> {
  const { adapter } = keyv;
  if (!isPostgres(adapter)) return;
  const table = await keyv.run('find or create the table', () => tableOf(adapter));
  const sql = `SELECT 1 FROM pg_class WHERE oid = to_regclass($1) AND relpersistence <> 'p'`;
  const [row] = await keyv.run('read the settings of the table', () => adapter.query(sql, [table]));
  if (!row) return;
  throw new TypeError(
    `The table ${table} is not logged, so a crash of PostgreSQL would empty it: ` +
      `run ALTER TABLE ${table} SET LOGGED.`,
  );
}

/** Throws for a PostgreSQL, Redis or Valkey that may acknowledge a commit before it is on the disk. */
export async function checkFlushing(keyv: GuardedKeyv): Promise<void> {
  const { adapter } = keyv;
  if (isPostgres(adapter)) await checkPostgres(keyv, adapter);
  const server = redisServerOf(adapter);
  if (server) await checkRedisSettings(keyv, server);
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
 * With any other value of these settings, Redis and Valkey acknowledge some commits before they are
 * on the disk.
 */
const REDIS_SETTINGS: Readonly<Record<string, string>> = {
  appendonly: 'yes',
  appendfsync: 'always',
  'no-appendfsync-on-rewrite': 'no',
};

async function checkRedisSettings(keyv: GuardedKeyv, server: RedisServer): Promise<void> {
  const found = await redisSettings(keyv, server);
  for (const [name, wanted] of Object.entries(REDIS_SETTINGS)) {
    if (found[name] === wanted) continue;
    throw new TypeError(
      `This server acknowledges commits before they are on the disk (${name} is ${found[name]}): ` +
        `set ${name} ${wanted} in its configuration file, ${OR_RELAXED} If you only use CONFIG SET, ` +
        'the server forgets it when it restarts, and then begins without the records.',
    );
  }
}

async function redisSettings(
  keyv: GuardedKeyv,
  server: RedisServer,
): Promise<Readonly<Record<string, string>>> {
  try {
    return await keyv.run('read the settings of the server', () => server.settings('*append*'));
  } catch (cause) {
    throw new Error(
      'This server does not reveal whether it acknowledges commits only when they are on the disk: ' +
        `allow CONFIG GET, ${OR_RELAXED}`,
      { cause },
    );
  }
}
