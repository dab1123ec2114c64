import { OutcomeUnknownError, UnreachableError } from '@bucketware/core/contracts';

/** An error of `pg`. `code` is the SQLSTATE if the server has responded. */
export interface DatabaseError extends Error {
  readonly code?: string;
  /** In the language of the server, which `lc_messages` sets. */
  readonly severity?: string;
  /** The source file of the server that reported the error. */
  readonly file?: string;
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
 * Codes of errors that can close the connection (FATAL) or stop the server (PANIC): classes of
 * connections, resources, operator intervention, the system and internal errors, timeouts of
 * sessions, statement_completion_unknown. The codes 57014 and 25006 have severity ERROR.
 */
const CAN_BE_FATAL = /^(08|53|57P|58|F0|XX|25P|40003)/;

/**
 * Whether the transaction was rolled back: with severity ERROR. FATAL and PANIC close the
 * connection, and an error without a severity comes from the connection itself, so a commit may
 * have happened. `pg` has only the translated severity. If it is in another language, the SQLSTATE
 * decides.
 */
function isRolledBack({ severity, code = '', file }: DatabaseError): boolean {
  if (severity === 'ERROR') return true;
  if (severity === undefined || severity === 'FATAL' || severity === 'PANIC') return false;
  // A disk that is full is a PANIC when the log is written, but not when a table grows.
  if (code === '53100') return file === 'md.c';
  return !CAN_BE_FATAL.test(code);
}

/** A {@link RefusedError}, or an error that says whether a commit may have happened. */
export function failureOf(cause: DatabaseError, isCommit: boolean): Error {
  if (isRolledBack(cause)) return new RefusedError(cause);
  const isSent = !NOT_CONNECTED.includes(cause.code ?? '');
  const Failure = isCommit && isSent ? OutcomeUnknownError : UnreachableError;
  return new Failure(`PostgreSQL did not complete a query: ${cause.message}`, { cause });
}
