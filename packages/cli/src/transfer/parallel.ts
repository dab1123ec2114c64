/**
 * Does work on items as they come, on so many at a time. Ends at the first failure: what is under way
 * comes to its end, and nothing new begins.
 */
export async function inParallel<Item>(
  items: AsyncIterable<Item>,
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const source = items[Symbol.asyncIterator]();
  let failure: { readonly error: unknown } | undefined;
  // Generators queue calls of next() themselves.
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

/** Lets so many through at a time. */
export function turnstile(width: number) {
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
