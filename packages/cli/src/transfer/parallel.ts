/**
 * Processes items as they arrive, a limited number at a time. After the first failure, running work
 * is finished and nothing new begins.
 */
export async function inParallel<Item>(
  items: AsyncIterable<Item>,
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const source = items[Symbol.asyncIterator]();
  let failure: { readonly error: unknown } | undefined;
  // Generators themselves queue calls of next().
  const worker = async () => {
    while (failure === undefined) {
      const { done, value } = await source.next();
      if (done) return;
      await work(value);
    }
  };
  const guarded = () =>
    worker().catch((error: unknown) => {
      failure ??= { error };
    });
  await Promise.all(Array.from({ length: width }, guarded));
  await source.return?.();
  if (failure !== undefined) throw failure.error;
}

/** Lets `width` tasks run at a time. */
export function limitConcurrency(width: number) {
  let free = width;
  const waiting: (() => void)[] = [];
  return async <T>(run: () => Promise<T>): Promise<T> => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
