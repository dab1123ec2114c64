/**
 * Thrown when a store cannot be reached, or did not respond in time. Clients get 503 with a
 * `Retry-After` header. A commit throws it only if nothing was changed.
 */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  readonly code = 'EHOSTDOWN';
}

/**
 * Thrown by a commit that was sent but not confirmed, so the change may or may not have been made.
 * Clients get 500, because they must not simply try again.
 */
export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError';
  readonly code = 'EIO';
}

/**
 * Awaits work for a limited number of milliseconds, then rejects with an {@link UnreachableError}
 * with this message, or with the error that `late` returns. The work itself continues.
 */
export async function within<T>(
  milliseconds: number,
  late: string | (() => Error),
  work: Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(typeof late === 'string' ? new UnreachableError(late) : late());
    }, milliseconds);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
