import { makePrivate } from './private-file.js';

/**
 * The required part of `DatabaseSync` from `node:sqlite`, or from packages with the same interface.
 */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export interface Statement {
  run(...values: Value[]): unknown;
  get(...values: Value[]): unknown;
  all(...values: Value[]): unknown[];
}

type Value = Uint8Array | number | null;

export interface DatabaseOptions {
  readonly path: string;
  readonly durability: 'full' | 'relaxed';
}

/** How long a connection waits while another one writes, in milliseconds. */
const BUSY_TIMEOUT = 10_000;

/** Large enough to store records of up to 2 KB in their leaf pages. */
const PAGE_BYTES = 8192;

/**
 * Opens the database of a store, and creates its tables in an empty one. Rejects for any other
 * database, and does not change it.
 */
export async function openDatabase({ path, durability }: DatabaseOptions): Promise<Database> {
  const DatabaseSync = await load();
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    requireStore(database, path);
    // Before anything is written. A new log gets the same mode.
    await makePrivate(path);
    database.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
    database.exec('PRAGMA journal_mode = WAL');
    // Without WAL, which not every file system supports, only EXTRA also flushes the deletion of
    // the journal, which is the commit.
    database.exec(`PRAGMA synchronous = ${durability === 'full' ? 'EXTRA' : 'NORMAL'}`);
    makeTables(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The columns of a store, by table. */
const COLUMNS = 'records.key records.value records.version versions.id versions.last';

/** Earlier versions also created stores beside the tables of another program. */
function requireStore(database: Database, path: string): void {
  const all = database.prepare("SELECT name FROM sqlite_master WHERE name NOT GLOB 'sqlite_*'");
  const names = all.all().map((row) => (row as { readonly name: string }).name);
  if (names.length === 0) return;
  if (names.join() === 'keyv') {
    throw new Error(
      `${path} was written through Keyv. If it has the records of a storage, open them as ` +
        'docs/databases.md describes for storages of earlier versions. Otherwise, choose another file.',
    );
  }
  const columns = database.prepare(`
    SELECT tables.name || '.' || columns.name AS place
    FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.name IN ('records', 'versions') ORDER BY place`);
  const found = columns.all().map((row) => (row as { readonly place: string }).place);
  if (found.join(' ') === COLUMNS) return;
  throw new Error(`${path} contains other tables than those of a storage. Choose another file.`);
}

/** Creates the tables. `versions` has one row, with the last used version. */
function makeTables(database: Database): void {
  database.exec(`BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS records
      (key BLOB PRIMARY KEY, value BLOB NOT NULL, version INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS versions (id INTEGER PRIMARY KEY CHECK (id = 1), last INTEGER NOT NULL);
    INSERT OR IGNORE INTO versions VALUES (1, 0);
    COMMIT`);
}

type DatabaseClass = new (path: string) => Database;

/** Loads SQLite from Node (since version 22.13), or from a package in older versions. */
async function load(): Promise<DatabaseClass> {
  const builtIn = process.getBuiltinModule('node:sqlite') as { DatabaseSync: unknown } | undefined;
  if (builtIn !== undefined) return builtIn.DatabaseSync as DatabaseClass;
  try {
    const { DatabaseSync } = await import('@photostructure/sqlite');
    return DatabaseSync as unknown as DatabaseClass;
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    if (!missing) throw cause;
    const message =
      'This version of Node has no SQLite. Install the package @photostructure/sqlite.';
    throw new Error(message, { cause });
  }
}
