/**
 * Thrown when a store cannot be reached, or did not respond in time. Clients get 503 with a
 * `Retry-After` header. It is unknown whether a change took effect.
 */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  readonly code = 'EHOSTDOWN';
}

/**
 * Awaits work for a limited number of milliseconds, then rejects with an {@link UnreachableError}.
 * The work itself continues.
 */
export async function within<T>(
  milliseconds: number,
  message: string,
  work: Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new UnreachableError(message));
    }, milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
