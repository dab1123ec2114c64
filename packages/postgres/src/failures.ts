import { UnreachableError } from '@bucketware/core/contracts';

/** What `pg` throws: with the five characters of SQLSTATE when the server has answered. */
export interface DatabaseError extends Error {
  readonly code?: string;
  readonly severity?: string;
}

/** serialization_failure and deadlock_detected: nothing happened, and the next try may succeed. */
const CONFLICTS = ['40001', '40P01'];

/**
 * By the system's names, which callers look for: disk_full, read_only_sql_transaction, and what the
 * server may do the next time: query_canceled (by a timeout of its own), lock_not_available,
 * out_of_memory.
 */
const CODES: Readonly<Record<string, string>> = {
  '53100': 'ENOSPC',
  '25006': 'EROFS',
  '57014': 'EHOSTDOWN',
  '55P03': 'EHOSTDOWN',
  '53200': 'EHOSTDOWN',
  '40001': 'EHOSTDOWN',
  '40P01': 'EHOSTDOWN',
};

/** The server refused a statement, so nothing of it happened. All other failures leave that open. */
export class RefusedError extends Error {
  readonly isConflict: boolean;

  constructor(cause: DatabaseError) {
    super(`PostgreSQL refused a statement: ${cause.message}`, { cause });
    this.name = 'RefusedError';
    this.isConflict = CONFLICTS.includes(cause.code ?? '');
    const code = CODES[cause.code ?? ''];
    if (code !== undefined) Object.assign(this, { code });
  }
}

/**
 * An error of a statement is ERROR: its transaction was rolled back. FATAL and PANIC end the
 * connection, and what has no severity comes from the connection itself; a commit may have happened.
 */
export function failureOf(cause: DatabaseError): Error {
  if (cause.severity === 'ERROR') return new RefusedError(cause);
  return new UnreachableError(`PostgreSQL did not complete a query: ${cause.message}`, { cause });
}
