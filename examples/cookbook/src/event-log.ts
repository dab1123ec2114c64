import { type ObjectStorage, StorageError } from '@bucketware/storage';

/** A log with one object per day. Lines that are logged at the same time do not mix. */
export function eventLog(storage: ObjectStorage, bucket: string) {
  let last: Promise<unknown> = Promise.resolve();

  async function append(line: string): Promise<void> {
    const key = `events/${new Date().toISOString().slice(0, 10)}.jsonl`;
    const offset = await storage.getObjectMeta({ bucket, key }).then(
      ({ size }) => size,
      (error: unknown) => {
        if (error instanceof StorageError && error.code === 'NoSuchKey') return undefined;
        throw error;
      },
    );
    const at = offset === undefined ? {} : { offset };
    await storage.appendObject({ bucket, key, body: line, ...at });
  }

  /** Resolves when the line is on disk. */
  return (event: unknown): Promise<void> => {
    const written = last.then(() => append(`${JSON.stringify(event)}\n`));
    last = written.catch(() => {}); // Whoever logged this line gets the error.
    return written;
  };
}
