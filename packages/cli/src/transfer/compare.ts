import { byBytes, type Entries, type Entry } from './entry.js';

interface Difference {
  /** `undefined` if it exists only at the target. */
  readonly from: Entry | undefined;
  /** `undefined` if it exists only at the source. */
  readonly to: Entry | undefined;
}

/** Walks through two sorted lists in parallel. */
export async function* compare(source: Entries, target: Entries): AsyncGenerator<Difference, void> {
  const [sources, targets] = [source[Symbol.asyncIterator](), target[Symbol.asyncIterator]()];
  let [from, to] = [await next(sources), await next(targets)];
  while (from !== undefined || to !== undefined) {
    const order = orderOf(from, to);
    yield { from: order <= 0 ? from : undefined, to: order >= 0 ? to : undefined };
    if (order <= 0) from = await next(sources);
    if (order >= 0) to = await next(targets);
  }
}

function orderOf(from: Entry | undefined, to: Entry | undefined): number {
  if (from === undefined) return 1;
  return to === undefined ? -1 : byBytes(from.path, to.path);
}

async function next(entries: AsyncIterator<Entry>): Promise<Entry | undefined> {
  const { done, value } = await entries.next();
  return done ? undefined : value;
}
