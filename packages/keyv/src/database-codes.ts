/** What databases call a full disk (ENOSPC), and a state in which they take no changes (EROFS). */
const CODES: Readonly<Record<string, SystemCode>> = {
  // PostgreSQL: disk_full, read_only_sql_transaction.
  '53100': 'ENOSPC',
  '25006': 'EROFS',
  // SQLite, by the name that better-sqlite3 gives, and by the number of the others.
  SQLITE_FULL: 'ENOSPC',
  SQLITE_READONLY: 'EROFS',
};
const SQLITE_NUMBERS: Readonly<Record<number, SystemCode>> = { 13: 'ENOSPC', 8: 'EROFS' };

export type SystemCode = 'ENOSPC' | 'EROFS';

/** The system's name for why a database refused a change, which callers look for. */
export function systemCodeOf(error: unknown): SystemCode | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code, errcode } = at as { code?: unknown; errcode?: unknown };
    const number = typeof errcode === 'number' ? errcode & 0xff : 0;
    const known = CODES[String(code)] ?? SQLITE_NUMBERS[number] ?? ofRedis(at.message);
    if (known) return known;
  }
  return undefined;
}

/** Redis begins its errors with a word. MISCONF: it cannot write its file, for whatever reason. */
function ofRedis(message: string): SystemCode | undefined {
  if (message.startsWith('OOM ')) return 'ENOSPC';
  if (message.startsWith('MISCONF ')) return /no space left/i.test(message) ? 'ENOSPC' : 'EROFS';
  return message.startsWith('READONLY ') ? 'EROFS' : undefined;
}
