import type { AtomicAdapter } from './atomic-pages.js';
import { lostToAnother } from './database-codes.js';
import { type RedisServer, redisServerOf } from './redis-server.js';

/** An adapter with compare-and-set, or `undefined` if it is not known to support that. */
export function atomicAdapter(
  adapter: object,
  durability: 'full' | 'relaxed',
): AtomicAdapter | undefined {
  if (isAtomic(adapter)) return adapter;
  if (isPostgres(adapter)) return postgresAdapter(adapter, durability);
  const server = redisServerOf(adapter);
  return server && redisAdapter(server);
}

function isAtomic(adapter: object): adapter is AtomicAdapter {
  return 'swap' in adapter && typeof adapter.swap === 'function';
}

/** Writes the root last, so the tree stays unchanged if an old server refuses a write half-way. */
const REDIS_SWAP = `
  local found = redis.call('GET', KEYS[1])
  local wanted = ARGV[1] == '1' and ARGV[2]
  if found ~= wanted or redis.call('GET', KEYS[2]) ~= ARGV[3] then return 0 end
  local pages = #ARGV - 4
  for i = 1, pages do redis.call('SET', KEYS[i + 2], ARGV[i + 4]) end
  redis.call('SET', KEYS[1], ARGV[4])
  for i = pages + 3, #KEYS do redis.call('UNLINK', KEYS[i]) end
  return 1`;

function redisAdapter(server: RedisServer): AtomicAdapter {
  return {
    get: async (key) => (await server.getMany([server.keyOf(key)]))[0] ?? undefined,
    getMany: (keys) => server.getMany(keys.map(server.keyOf)),
    async swap({ key, from, claim, to, put, delete: removed }) {
      const keys = [key, claim[0], ...put.map(([page]) => page), ...removed].map(server.keyOf);
      const compare = from === undefined ? ['0', ''] : ['1', from];
      const values = [...compare, claim[1], to, ...put.map(([, value]) => value)];
      return (await server.eval(REDIS_SWAP, keys, values)) === 1;
    },
  };
}

export interface PostgresAdapter {
  readonly opts: {
    readonly dialect: 'postgres';
    /** That of `@keyv/postgres`. */
    readonly schema?: string;
    readonly table?: string;
    readonly useUnloggedTable?: boolean;
  };
  get(key: string): Promise<unknown>;
  query(sql: string, values: unknown[]): Promise<Record<string, unknown>[]>;
  /** That of `PostgresStore`. */
  qualifiedTable?(): Promise<string>;
}

/** The name of the adapter's table in SQL. */
export async function tableOf(adapter: PostgresAdapter): Promise<string> {
  if (adapter.qualifiedTable) return adapter.qualifiedTable();
  const { schema, table = 'keyv' } = adapter.opts;
  return schema === undefined ? table : `${schema}.${table}`;
}

export function isPostgres(adapter: object): adapter is PostgresAdapter {
  const { opts, query } = adapter as Partial<PostgresAdapter>;
  return opts?.dialect === 'postgres' && typeof query === 'function';
}

/**
 * Each swap is one statement, and so one transaction. It locks, compares and sets the root's row.
 * Before that, it locks the row of the claim, so that a new claim either waits for the swap or
 * prevents it. Writers share this lock.
 */
function postgresAdapter(adapter: PostgresAdapter, durability: 'full' | 'relaxed'): AtomicAdapter {
  let statements: Statements | undefined;
  const made = async (): Promise<Statements> => {
    statements ??= statementsFor(await tableOf(adapter), durability);
    return statements;
  };
  return {
    get: (key) => adapter.get(key),
    async getMany(keys) {
      const rows = await adapter.query((await made()).read, [keys]);
      const found = new Map(rows.map(({ key, value }) => [key, value]));
      return keys.map((key) => found.get(key));
    },
    async swap({ key, from, claim, to, put, delete: removed }) {
      const pages = put.map(([page]) => page);
      const values = put.map(([, value]) => value);
      const { create, replace } = await made();
      const given = [key, from ?? null, to, pages, values, removed, ...claim];
      const sql = from === undefined ? create : replace;
      const [row] = await adapter.query(sql, given).catch(nothingSwapped);
      return row?.count === 1;
    },
  };
}

/** The app may have turned synchronous_commit off for the connection. */
const FLUSHED = `, set_config('synchronous_commit',
      coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), true)`;

interface Statements {
  readonly read: string;
  readonly create: string;
  readonly replace: string;
}

function statementsFor(table: string, durability: 'full' | 'relaxed'): Statements {
  const claimed = 'EXISTS (SELECT 1 FROM claimed)';
  const create = `INSERT INTO ${table} (key, value) SELECT $1, $3 WHERE $2::text IS NULL AND ${claimed}
    ON CONFLICT (key) DO NOTHING RETURNING 1`;
  const replace = `UPDATE ${table} SET value = $3 WHERE key = $1 AND value = $2::text AND ${claimed}
    RETURNING 1`;
  const swap = (root: string): string => `WITH
    claimed AS (SELECT 1 FROM ${table} WHERE key = $7 AND value = $8::text FOR SHARE),
    swapped AS (${root}),
    written AS (INSERT INTO ${table} (key, value)
      SELECT page, content FROM UNNEST($4::text[], $5::text[]) AS pages (page, content)
      WHERE EXISTS (SELECT 1 FROM swapped)),
    removed AS (DELETE FROM ${table} WHERE key = ANY ($6::text[])
      AND EXISTS (SELECT 1 FROM swapped))
    SELECT COUNT(*)::int AS count${durability === 'full' ? FLUSHED : ''} FROM swapped`;
  const read = `SELECT key, value FROM ${table} WHERE key = ANY ($1::text[])`;
  return { read, create: swap(create), replace: swap(replace) };
}

function nothingSwapped(error: unknown): [] {
  if (lostToAnother(error)) return [];
  throw error;
}
