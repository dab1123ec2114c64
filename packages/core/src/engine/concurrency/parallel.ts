/**
 * Runs the task for each item, `atOnce` at a time. After a failure, no new task starts, and the
 * running ones end before the failure is thrown, so that nothing happens afterwards. `worst` chooses
 * among several failures. Default: the first.
 */
export async function inParallel<T>(
  items: Iterable<T> | AsyncIterable<T>,
  atOnce: number,
  task: (item: T) => Promise<unknown>,
  worst: (failures: readonly unknown[]) => unknown = ([first]) => first,
): Promise<void> {
  const waiting = oneByOne(items);
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    while (failures.length === 0) {
      const { done, value } = await waiting.next();
      if (done || failures.length > 0) return;
      await task(value);
    }
  };
  const worker = () => work().catch((error: unknown) => failures.push(error));
  await Promise.all(Array.from({ length: atOnce }, worker));
  await waiting.return();
  if (failures.length > 0) throw worst(failures);
}

/**
 * Concurrent calls of `next()` get their results in order from a generator, but not from every
 * other iterator.
 */
async function* oneByOne<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T, void, void> {
  yield* items;
}
