import { OutcomeUnknownError, UnreachableError } from '@bucketware/core/contracts';

/** An error of `pg`. `code` is the SQLSTATE if the server has responded. */
export interface DatabaseError extends Error {
  readonly code?: string;
  readonly severity?: string;
}

/** serialization_failure and deadlock_detected: nothing was committed, and a retry may succeed. */
const CONFLICTS = ['40001', '40P01'];

/**
 * System error codes, which callers check for. They stand for disk_full, read_only_sql_transaction,
 * and failures after which a retry may succeed: query_canceled (by the server's own timeout),
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
 * The server refused a statement, so it had no effect. After any other failure, the effect is
 * unknown.
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
 * Codes of connections that were never established: those of the system, then cannot_connect_now
 * and too_many_connections.
 */
const NOT_CONNECTED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', '57P03', '53300'];

/**
 * With severity ERROR, the transaction was rolled back. FATAL and PANIC close the connection, and
 * an error without a severity comes from the connection itself, so a commit may have happened.
 */
export function failureOf(cause: DatabaseError, isCommit: boolean): Error {
  if (cause.severity === 'ERROR') return new RefusedError(cause);
  const isSent = !NOT_CONNECTED.includes(cause.code ?? '');
  const Failure = isCommit && isSent ? OutcomeUnknownError : UnreachableError;
  return new Failure(`PostgreSQL did not complete a query: ${cause.message}`, { cause });
}
