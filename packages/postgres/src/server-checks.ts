import type { Database } from './database.js';

interface Settings {
  readonly isReplica: boolean;
  readonly isLogged: boolean;
  readonly synchronous: string;
  readonly fsync: string;
  readonly fullPageWrites: string;
  readonly isolation: string;
}

const SETTINGS = `SELECT
  pg_is_in_recovery() AS "isReplica",
  (SELECT relpersistence = 'p' FROM pg_class WHERE oid = to_regclass($1)) AS "isLogged",
  current_setting('synchronous_commit') AS synchronous,
  current_setting('fsync') AS fsync,
  current_setting('full_page_writes') AS "fullPageWrites",
  current_setting('transaction_isolation') AS isolation`;

/** Throws for a server that could lose acknowledged commits or mix up concurrent ones. */
export async function checkServer(
  database: Database,
  durability: 'full' | 'relaxed',
): Promise<void> {
  const [settings] = await database.query<Settings>(SETTINGS, [database.table]);
  const fault = settings && faultOf(settings, durability, database.table);
  if (fault !== undefined) throw new Error(`Records cannot be kept in this PostgreSQL: ${fault}`);
}

function faultOf(
  found: Settings,
  durability: 'full' | 'relaxed',
  table: string,
): string | undefined {
  if (found.isReplica) return 'it is a replica, which accepts no changes. Use the primary server.';
  if (!found.isLogged) {
    return `the table ${table} is not logged, so a crash would empty it. Run ALTER TABLE ${table} SET LOGGED.`;
  }
  if (found.isolation !== 'read committed') {
    return `its transactions are ${found.isolation}. Set default_transaction_isolation to 'read committed'.`;
  }
  if (durability === 'relaxed') return undefined;
  for (const [name, value] of [
    ['synchronous_commit', found.synchronous],
    ['fsync', found.fsync],
    ['full_page_writes', found.fullPageWrites],
  ]) {
    if (value === 'off') {
      return `${name} is off, so a crash may lose commits. Turn it on, or choose durability: 'relaxed'.`;
    }
  }
  return undefined;
}
