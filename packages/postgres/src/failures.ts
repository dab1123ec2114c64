import { UnreachableError } from '@bucketware/core/contracts';

/** An error of `pg`. `code` is the SQLSTATE when the server has responded. */
export interface DatabaseError extends Error {
  readonly code?: string;
  readonly severity?: string;
}

/** serialization_failure and deadlock_detected: nothing happened, and the next try may succeed. */
const CONFLICTS = ['40001', '40P01'];

/**
 * The system's names, which callers expect, for disk_full, read_only_sql_transaction, and failures
 * after which the next try may succeed: query_canceled (by the server's own timeout),
 * lock_not_available, out_of_memory.
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

/**
 * The server refused a statement, so it had no effect. After any other failure, that is unknown.
 */
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
 * With severity ERROR, the transaction was rolled back. FATAL and PANIC close the connection, and
 * errors without a severity come from the connection itself: then a commit may have happened.
 */
export function failureOf(cause: DatabaseError): Error {
  if (cause.severity === 'ERROR') return new RefusedError(cause);
  return new UnreachableError(`PostgreSQL did not complete a query: ${cause.message}`, { cause });
}
