import { type ObjectStorage, StorageError } from '@bucketware/storage';

/** How many characters may wait to be written. */
const MOST_WAITING = 10_000_000;

/** A log with one object per day. Lines that are logged at the same time do not mix. */
export function eventLog(storage: ObjectStorage, bucket: string) {
  let waiting = '';
  let next: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function append(lines: string): Promise<void> {
    const key = `events/${new Date().toISOString().slice(0, 10)}.jsonl`;
    const offset = await storage.getObjectMeta({ bucket, key }).then(
      ({ size }) => size,
      (error: unknown) => {
        if (error instanceof StorageError && error.code === 'NoSuchKey') return undefined;
        throw error;
      },
    );
    const at = offset === undefined ? {} : { offset };
    await storage.appendObject({ bucket, key, body: lines, ...at });
  }

  /** Appends all the lines that wait. */
  function write(): Promise<void> {
    const lines = waiting;
    waiting = '';
    next = undefined;
    return append(lines);
  }

  /** Resolves when the line is on disk. Rejects if too many lines are waiting. */
  return async (event: unknown): Promise<void> => {
    const line = `${JSON.stringify(event)}\n`;
    if (waiting.length + line.length > MOST_WAITING) throw new Error('The log is too slow.');
    waiting += line;
    next ??= last.then(write);
    last = next.catch(() => {}); // Whoever logged these lines gets the error.
    return next;
  };
}
