import { type KeyvMetadata, keyvMetadata, PostgresStore, SqliteStore } from '@bucketware/keyv';
import { Keyv } from 'keyv';

/** The location of a store, as plain data for another process. */
export interface Place {
  readonly kind: 'redis' | 'postgres' | 'sqlite';
  /** A path for SQLite. */
  readonly url: string;
  readonly prefix: string;
  readonly compareAndSet: boolean;
}

/** Long enough for a busy machine. */
const SETTINGS = { timeout: 60_000, disconnect: true };

/** Loads only what this store needs, so that a writer starts quickly. */
export async function opener({ kind, url, prefix, compareAndSet }: Place) {
  const adapter = await ADAPTERS[kind](url);
  return (): Promise<KeyvMetadata> =>
    keyvMetadata(new Keyv({ store: adapter() }), { ...SETTINGS, prefix, compareAndSet });
}

type Adapter = Map<string, unknown>;

const ADAPTERS: Readonly<Record<Place['kind'], (url: string) => Promise<() => Adapter>>> = {
  async redis(url) {
    const { default: KeyvRedis } = await import('@keyv/redis');
    return () => new KeyvRedis(url) as unknown as Adapter;
  },
  async postgres(connectionString) {
    const { default: pg } = await import('pg');
    return () => new PostgresStore(new pg.Pool({ connectionString })) as unknown as Adapter;
  },
  async sqlite(path) {
    const { DatabaseSync } = await import('@photostructure/sqlite');
    return () => new SqliteStore(new DatabaseSync(path)) as unknown as Adapter;
  },
};

/** The names of all values in the database that belong to the store, without its prefix. */
export async function idsAt({ kind, url, prefix }: Place): Promise<string[]> {
  const keys = await KEYS[kind](url, prefix);
  return keys.map((key) => key.slice(key.indexOf(prefix) + prefix.length));
}

const KEYS: Readonly<Record<Place['kind'], (url: string, prefix: string) => Promise<string[]>>> = {
  async redis(url, prefix) {
    const { default: KeyvRedis } = await import('@keyv/redis');
    const adapter = new KeyvRedis(url);
    const client = (await adapter.getClient()) as { keys(pattern: string): Promise<string[]> };
    const keys = await client.keys(`*${prefix}*`);
    await adapter.disconnect();
    return keys;
  },
  async postgres(connectionString, prefix) {
    const { default: pg } = await import('pg');
    // Not a pool: `end` of a pool resolves before its connections are closed.
    const client = new pg.Client({ connectionString });
    await client.connect();
    const sql = 'SELECT key FROM bucketware WHERE strpos(key, $1) > 0';
    const { rows } = await client.query<{ key: string }>(sql, [prefix]);
    await client.end();
    return rows.map(({ key }) => key);
  },
  async sqlite(path, prefix) {
    const { DatabaseSync } = await import('@photostructure/sqlite');
    const database = new DatabaseSync(path);
    const rows = database.prepare('SELECT key FROM keyv WHERE instr(key, ?) > 0').all(prefix);
    database.close();
    return (rows as { key: string }[]).map(({ key }) => key);
  },
};
