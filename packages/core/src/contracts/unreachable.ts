/**
 * A store cannot be reached, or did not answer in time. Clients get 503 and are asked to try again. It
 * is unknown whether a change took effect.
 */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  readonly code = 'EHOSTDOWN';
}

/**
 * Awaits work for so many milliseconds at most, then rejects with an {@link UnreachableError}. The
 * work itself goes on.
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
