/** What `pg` throws: with the five characters of SQLSTATE when the server has answered. */
export interface DatabaseError extends Error {
  readonly code?: string;
  readonly severity?: string;
}

/** serialization_failure and deadlock_detected: nothing happened, and the next try may succeed. */
const CONFLICTS = ['40001', '40P01'];

/** disk_full and read_only_sql_transaction, by the system's names. Callers look for these. */
const CODES: Readonly<Record<string, string>> = { '53100': 'ENOSPC', '25006': 'EROFS' };

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
export function failureOf(error: DatabaseError): Error {
  if (error.severity === 'ERROR') return new RefusedError(error);
  return new Error(`PostgreSQL did not complete a query: ${error.message}`, { cause: error });
}
