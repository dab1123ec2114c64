import { OutcomeUnknownError, UnreachableError } from '@bucketware/core/contracts';
import { StoreLostError } from './page-store.js';

/**
 * The error codes of databases for a full disk (ENOSPC), for a state in which they accept no
 * changes (EROFS), and for one in which they cannot be reached (EHOSTDOWN).
 */
const CODES: Readonly<Record<string, SystemCode>> = {
  // PostgreSQL: disk_full, read_only_sql_transaction.
  '53100': 'ENOSPC',
  '25006': 'EROFS',
  // SQLite: names from better-sqlite3, numbers from other packages.
  SQLITE_FULL: 'ENOSPC',
  SQLITE_READONLY: 'EROFS',
  SQLITE_BUSY: 'EHOSTDOWN',
  // PostgreSQL: admin_shutdown, crash_shutdown, cannot_connect_now, too_many_connections.
  '57P01': 'EHOSTDOWN',
  '57P02': 'EHOSTDOWN',
  '57P03': 'EHOSTDOWN',
  '53300': 'EHOSTDOWN',
  // Connection errors of the operating system.
  ECONNREFUSED: 'EHOSTDOWN',
  ECONNRESET: 'EHOSTDOWN',
  ECONNABORTED: 'EHOSTDOWN',
  EPIPE: 'EHOSTDOWN',
  ETIMEDOUT: 'EHOSTDOWN',
  EHOSTUNREACH: 'EHOSTDOWN',
  ENETUNREACH: 'EHOSTDOWN',
  ENOTFOUND: 'EHOSTDOWN',
  EAI_AGAIN: 'EHOSTDOWN',
};
const SQLITE_NUMBERS: Readonly<Record<number, SystemCode>> = {
  13: 'ENOSPC',
  8: 'EROFS',
  5: 'EHOSTDOWN',
};

export type SystemCode = 'ENOSPC' | 'EROFS' | 'EHOSTDOWN';

export const UNKNOWN = 'The commit failed, and it is unknown whether it happened.';

/** Codes of connections that broke: a call that was under way may still have taken effect. */
const BROKEN = ['57P01', '57P02', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT'];

/**
 * Rejects with the failure of a change if the database refused it or was never reached, otherwise
 * with an {@link OutcomeUnknownError}.
 */
export function rejectChange(cause: unknown): never {
  for (let at = cause; at instanceof Error; at = at.cause) {
    const code = String((at as { code?: unknown }).code);
    const isOpen = at instanceof UnreachableError || BROKEN.includes(code) || isPanic(at);
    if (isOpen || ofClient(at) !== undefined) break;
    if (codeIn(at) !== undefined) throw cause;
  }
  throw new OutcomeUnknownError(UNKNOWN, { cause });
}

/**
 * Whether PostgreSQL undid a statement because another transaction was first: a
 * serialization_failure, which an isolation stricter than READ COMMITTED causes, or a deadlock.
 */
export function lostToAnother(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === '40001' || code === '40P01';
}

/**
 * Whether PostgreSQL stopped because it could not write its log: then a commit may survive. `pg` has
 * only the translated severity. In another language, the server's source file decides: `md.c` fails
 * when a table grows, and only refuses the statement.
 */
function isPanic(error: Error): boolean {
  const { code, severity, file } = error as { code?: unknown; severity?: unknown; file?: unknown };
  return code === '53100' && severity !== 'ERROR' && file !== 'md.c';
}

/** The system error code for a failure of a database, if one applies. Callers check for it. */
export function systemCodeOf(error: unknown): SystemCode | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const known = codeIn(at) ?? ofClient(at);
    if (known) return known;
  }
  return undefined;
}

function codeIn(error: Error): SystemCode | undefined {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  const number = typeof errcode === 'number' ? errcode & 0xff : 0;
  return CODES[String(code)] ?? SQLITE_NUMBERS[number] ?? ofRedis(error);
}

/**
 * Error messages of Redis begin with a code. MISCONF: it cannot write its file. LOADING and similar
 * codes: it will be available again soon.
 */
function ofRedis({ message }: Error): SystemCode | undefined {
  if (message.startsWith('OOM ')) return 'ENOSPC';
  if (message.startsWith('MISCONF ')) return /no space left/i.test(message) ? 'ENOSPC' : 'EROFS';
  if (/^(LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY) /.test(message)) return 'EHOSTDOWN';
  return message.startsWith('READONLY ') ? 'EROFS' : undefined;
}

/**
 * Recognizes a client's error about a lost connection that has no code: by class in node-redis, by
 * message in other clients.
 */
function ofClient(error: Error): SystemCode | undefined {
  const isLost =
    /^(Socket|Client(Closed|Offline)|Connection|Disconnects|Reconnect|CommandTimeout|MaxRetries)\w*Error$/.test(
      error.constructor.name,
    ) || /^Connection (is closed|terminated|timeout)/i.test(error.message);
  return isLost ? 'EHOSTDOWN' : undefined;
}

/** What a commit rejects with. */
export function failureOfCommit(cause: unknown): Error {
  if (cause instanceof StoreLostError || cause instanceof OutcomeUnknownError) return cause;
  if (cause instanceof UnreachableError) return cause;
  const code = systemCodeOf(cause);
  const error = new Error('The commit failed.', { cause });
  return Object.assign(error, code && { code });
}
